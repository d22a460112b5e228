# The life of machines after their first boot: one is patched and rebooted, one gets a
# new system disk, and one is switched off for the night.

terraform {
  required_providers {
    machine = {
      source = "terraform-machine/machine"
    }
  }
}

provider "machine" {
  owner = "platform/operations"
}

variable "kernel" {
  description = "Raise it, and the patched machine is rebooted once more."
  type        = string
  default     = "5.10.134-17"
}

variable "image" {
  description = "Another image, and the reinstalled machine gets a new system disk once more."
  type        = string
  default     = "m-acme2"
}

variable "night" {
  description = "Whether the third machine is switched off."
  type        = bool
  default     = true
}

resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_id           = "m-acme1"
    instance_types     = ["ecs.g7.large", "ecs.g6.large"]
    vswitch_ids        = ["vsw-a"]
    security_group_ids = ["sg-1"]
  }
}

resource "machine_allocation" "patched" {
  name  = "patched"
  class = machine_class.worker
}

resource "machine_operation" "reboot" {
  name        = "reboot-for-kernel"
  provider_id = machine_allocation.patched.provider_id
  kind        = "HostReboot"
  triggers    = { kernel = var.kernel }
}

resource "machine_allocation" "reinstalled" {
  name  = "reinstalled"
  class = machine_class.worker
}

resource "machine_operation" "reinstall" {
  name           = "reinstall"
  provider_id    = machine_allocation.reinstalled.provider_id
  kind           = "HostReplace"
  keep_user_data = true

  parameters = {
    image_id         = var.image
    graceful_timeout = "5m"
  }
}

resource "machine_allocation" "batch" {
  name        = "batch"
  class       = machine_class.worker
  power_state = var.night ? "stopped" : "running"
}

output "rebooted" {
  value = "${machine_operation.reboot.phase}: ${machine_operation.reboot.message}"
}

output "reinstalled" {
  value = "${machine_operation.reinstall.phase}: ${machine_operation.reinstall.message}"
}
