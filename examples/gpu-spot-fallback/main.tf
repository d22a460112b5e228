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
  owner    = "research/gpu"
  alicloud = { region = "cn-hangzhou" }
}

variable "trainers" {
  description = "How many machines train."
  type        = number
  default     = 2
}

locals {
  # Any type with one of these cards, cheapest first: as spot while the price holds, on
  # demand where no zone has spot left.
  gpu = {
    image_family = "acme-node"

    requirements = {
      gpus       = { min = 1, max = 1 }
      gpu_models = ["NVIDIA T4", "NVIDIA A10"]
      vcpus      = { min = 8, max = 16 }
      memory_gib = { min = 30 }
    }
    type_order     = "cheapest"
    capacity_types = ["spot", "on_demand"]

    spot = {
      price_limit_per_hour = 6
      protection_hours     = 1
    }

    vswitch_ids        = ["vsw-a", "vsw-b", "vsw-c"]
    security_group_ids = ["sg-1"]
    system_disk        = { size_gib = 100 }
    data_disks         = [{ category = "cloud_essd", size_gib = 200, performance_level = "PL1" }]
    tags               = { workload = "training" }
  }
}

resource "machine_class" "gpu" {
  name     = "gpu"
  alicloud = local.gpu
}

resource "machine_allocation" "trainer" {
  count = var.trainers

  name       = "trainer-${count.index}"
  class      = machine_class.gpu
  on_timeout = "continue" # a slow boot is no reason to give a scarce machine back

  timeouts = { create = "30m" }
}

# What could be had today, and at which price; what is sold out is listed, too.
data "machine_class_offerings" "gpu" {
  alicloud = local.gpu
}

check "another_trainer" {
  assert {
    condition     = anytrue([for offering in data.machine_class_offerings.gpu.offerings : offering.availability != "SoldOut"])
    error_message = "No type with such a card is left in any zone: a trainer that is lost could not be replaced now."
  }
}

output "trainers" {
  description = "What each machine is, and how it is paid for."
  value = {
    for trainer in machine_allocation.trainer : trainer.name => {
      offering = trainer.offering
      charge   = trainer.charge
      phase    = trainer.phase # Reclaiming: ECS takes a spot machine back within minutes
    }
  }
}
