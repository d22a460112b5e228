locals {
  worker = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge", "ecs.g6.xlarge"]
    capacity_types     = ["spot", "on_demand"]
    vswitch_ids        = ["vsw-a", "vsw-b"]
    security_group_ids = ["sg-1"]
  }
}

# One local feeds both, so that what depends on the offerings is known at plan.
resource "machine_class" "worker" {
  name     = "worker"
  alicloud = local.worker
}

data "machine_class_offerings" "worker" {
  alicloud           = local.worker
  available_only     = true
  max_price_per_hour = 2
}

output "worker_offerings" {
  value = data.machine_class_offerings.worker.offerings[*].id
}
