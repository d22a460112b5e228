terraform {
  required_version = ">= 1.11"

  required_providers {
    machine = {
      source  = "terraform-machine/machine"
      version = "~> 0.1"
    }
  }
}

provider "machine" {
  owner    = "large-fleet/demo"
  alicloud = { region = "cn-hangzhou" }
}

variable "machines" {
  description = "How many machines."
  type        = number
  default     = 100
}

resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.large", "ecs.g6.large"]
    vswitch_ids        = ["vsw-a", "vsw-b", "vsw-c"]
    security_group_ids = ["sg-1"]
  }
}

# Each is created as soon as its launch is accepted, so that Terraform goes on with the
# next: the fleet starts at the speed of the API.
resource "machine_allocation" "worker" {
  count = var.machines

  name       = format("worker-%03d", count.index)
  class      = machine_class.worker
  wait_until = "accepted"
}

# One resource waits for all of them, with one call for 100 machines at a time.
resource "machine_readiness" "workers" {
  provider_ids = machine_allocation.worker[*].provider_id
  timeouts     = { create = "20m", update = "20m" }
}

output "addresses" {
  description = "The addresses of each machine, when all of them run."
  value       = machine_readiness.workers.private_ips
}
