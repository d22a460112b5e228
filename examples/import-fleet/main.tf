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
  owner    = "platform/prod"
  alicloud = { region = "cn-hangzhou" }
}

# The machines to take over: whoever launched them, all that carry the tag.
data "machine_instances" "fleet" {
  owner = "*"
  tags  = { role = "worker" }
}

locals {
  fleet = { for machine in data.machine_instances.fleet.instances : machine.instance_name => machine.provider_id }
}

# What they are to be like. Where they differ from it they stay as they are.
resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge"]
    vswitch_ids        = ["vsw-a", "vsw-b"]
    security_group_ids = ["sg-1"]
  }
}

import {
  for_each = local.fleet
  to       = machine_allocation.worker[each.key]
  id       = each.value
}

resource "machine_allocation" "worker" {
  for_each = local.fleet

  name  = each.key
  class = machine_class.worker
}
