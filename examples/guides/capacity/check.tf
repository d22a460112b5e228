resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge", "ecs.g6.xlarge"]
    vswitch_ids        = ["vsw-a", "vsw-b"]
    security_group_ids = ["sg-1"]
  }
}

data "machine_class_offerings" "worker" {
  class          = machine_class.worker
  available_only = true
  include_prices = false
}

check "worker_capacity" {
  assert {
    condition     = length(data.machine_class_offerings.worker.offerings) >= 2
    error_message = "Fewer than two ways are left to get a worker."
  }
}
