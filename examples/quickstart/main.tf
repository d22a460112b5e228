terraform {
  required_version = ">= 1.11"

  required_providers {
    machine = {
      source  = "terraform-machine/machine"
      version = "~> 0.1"
    }
  }
}

# Credentials come from the environment that the Alibaba Cloud CLI and SDKs read.
provider "machine" {
  owner    = "quickstart/demo" # whose machines these are
  alicloud = { region = "cn-hangzhou" }
}

# What kind of machine, and where it may run.
resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge", "ecs.g6.xlarge"]
    capacity_types     = ["spot", "on_demand"]
    vswitch_ids        = ["vsw-a", "vsw-b"]
    security_group_ids = ["sg-1"]
    system_disk        = { size_gib = 40 }
  }
}

# Three hosts of that class.
resource "machine_allocation" "worker" {
  for_each = toset(["a", "b", "c"])

  name                 = "worker-${each.key}"
  class                = machine_class.worker
  user_data_wo         = file("${path.module}/cloud-init.yaml") # never in state, plan or log
  user_data_wo_version = 1

  tags = { team = "quickstart" }
}

output "provider_ids" {
  description = "The id of each machine, by its key."
  value       = { for key, machine in machine_allocation.worker : key => machine.provider_id }
}

output "private_ips" {
  description = "The addresses of each machine, by its key."
  value       = { for key, machine in machine_allocation.worker : key => machine.private_ips }
}
