locals {
  gpu = {
    image_family       = "acme-node"
    requirements       = { gpus = { min = 1, max = 1 }, gpu_models = ["NVIDIA T4", "NVIDIA A10"], vcpus = { max = 8 } }
    vswitch_ids        = ["vsw-a", "vsw-b", "vsw-c"]
    security_group_ids = ["sg-1"]
  }
}

resource "machine_class" "gpu" {
  name     = "gpu"
  alicloud = local.gpu
}

data "machine_class_offerings" "gpu" {
  alicloud       = local.gpu
  available_only = true
}

# One machine in each zone that has something to offer.
resource "machine_allocation" "gpu" {
  for_each = toset(data.machine_class_offerings.gpu.offerings[*].zone)

  name  = "gpu-${each.key}"
  class = machine_class.gpu
}
