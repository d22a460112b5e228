terraform {
  required_providers {
    machine = { source = "terraform-machine/machine" }
  }
}

provider "machine" {
  owner = "platform/changes"
}

variable "night" {
  type    = bool
  default = false
}

# What ECS has chosen may be written down, which changes nothing.
variable "category" {
  type    = string
  default = null
}

variable "tags" {
  type    = map(string)
  default = { cost = "a" }
}

resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.large", "ecs.g6.large"]
    vswitch_ids        = ["vsw-a"]
    security_group_ids = ["sg-1"]
    resource_group_id  = "rg-acme"
    ram_role_name      = "acme-node-role"
    key_pair_name      = "acme-key"
    deployment_set_id  = "ds-1"
    data_disks         = [{ category = "cloud_essd", snapshot_id = "s-1" }]

    system_disk = { size_gib = 40, category = var.category }
  }
}

resource "machine_allocation" "worker" {
  count = 2

  name             = "worker-${count.index}"
  class            = machine_class.worker
  power_state      = var.night ? "stopped" : "running"
  tags             = var.tags
  graceful_release = "2m"
}
