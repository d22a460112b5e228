resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge", "ecs.g6.xlarge"]
    vswitch_ids        = ["vsw-a"]
    security_group_ids = ["sg-1"]
  }
}

resource "machine_allocation" "worker" {
  name  = "worker-a"
  class = machine_class.worker
}

data "machine_instance" "worker" {
  provider_id = machine_allocation.worker.provider_id
}

output "worker_tags" {
  value = data.machine_instance.worker.tags
}
