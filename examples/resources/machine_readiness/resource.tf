resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge", "ecs.g6.xlarge"]
    vswitch_ids        = ["vsw-a", "vsw-b"]
    security_group_ids = ["sg-1"]
  }
}

resource "machine_allocation" "worker" {
  for_each = toset(["a", "b", "c"])

  name       = "worker-${each.key}"
  class      = machine_class.worker
  wait_until = "accepted" # the readiness below waits, for all of them together
}

resource "machine_readiness" "workers" {
  provider_ids = [for machine in machine_allocation.worker : machine.provider_id]
  timeouts     = { create = "15m" }
}

# What uses the addresses starts when all machines run.
output "addresses" {
  value = machine_readiness.workers.private_ips
}
