resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge", "ecs.g6.xlarge"] # tried in this order
    capacity_types     = ["spot", "on_demand"]
    vswitch_ids        = ["vsw-a", "vsw-b"] # one or more zones
    security_group_ids = ["sg-1"]
    system_disk        = { size_gib = 40 }
  }
}
