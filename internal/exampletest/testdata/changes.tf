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

variable "access" {
  type    = bool
  default = true
}

variable "generation" {
  type    = number
  default = 1
}

variable "types" {
  type    = list(string)
  default = ["ecs.g7.large", "ecs.g6.large"]
}

variable "groups" {
  type    = list(string)
  default = ["sg-1"]
}

variable "tags" {
  type    = map(string)
  default = { cost = "a" }
}

resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = var.types
    vswitch_ids        = ["vsw-a"]
    security_group_ids = var.groups
    resource_group_id  = "rg-acme"
    ram_role_name      = var.access ? "acme-node-role" : null
    key_pair_name      = var.access ? "acme-key" : null
    deployment_set_id  = "ds-1"
    data_disks         = [{ category = "cloud_essd", snapshot_id = "s-1" }]
  }
}

resource "machine_allocation" "worker" {
  count = 2

  name             = "worker-${count.index}"
  class            = machine_class.worker
  power_state      = var.night ? "stopped" : "running"
  tags             = var.tags
  graceful_release = "2m"

  deletion_protection  = var.night
  user_data_wo         = "#!/bin/sh\n# ${var.generation}\n"
  user_data_wo_version = var.generation
  user_data_on_change  = "reinstall"

  instance_type_on_change = "resize"
  retain_disks_on_release = true
}
