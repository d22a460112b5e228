locals {
  gpu = {
    image_family       = "acme-node"
    requirements       = { gpus = { min = 1, max = 1 }, gpu_models = ["NVIDIA T4", "NVIDIA A10"], vcpus = { max = 8 } }
    vswitch_ids        = ["vsw-a", "vsw-b", "vsw-c"]
    security_group_ids = ["sg-1"]
  }
}

# What is sold out is listed, too: what runs must not depend on today's stock.
data "machine_class_offerings" "gpu" {
  alicloud = local.gpu
}

# A class, and one machine, in each vSwitch that sells such a type at all.
resource "machine_class" "gpu" {
  for_each = toset(data.machine_class_offerings.gpu.offerings[*].vswitch_id)

  name     = "gpu-${each.key}"
  alicloud = merge(local.gpu, { vswitch_ids = [each.key] })
}

resource "machine_allocation" "gpu" {
  for_each = machine_class.gpu

  name  = each.value.name
  class = each.value
}
