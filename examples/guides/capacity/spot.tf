resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge", "ecs.g6.xlarge", "ecs.g8a.xlarge"]
    capacity_types     = ["spot", "on_demand"]
    spot               = { price_limit_per_hour = 0.9 }
    vswitch_ids        = ["vsw-a", "vsw-b", "vsw-c"]
    security_group_ids = ["sg-1"]
  }
}

resource "machine_allocation" "worker" {
  for_each = toset(["a", "b", "c"])

  name  = "worker-${each.key}"
  class = machine_class.worker
}

# What each of them got.
output "workers" {
  value = { for key, worker in machine_allocation.worker : key => worker.offering }
}
