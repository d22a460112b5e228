resource "machine_class" "database" {
  name = "database"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge"]
    vswitch_ids        = ["vsw-a"]
    security_group_ids = ["sg-1"]
    data_disks         = [{ category = "cloud_essd", size_gib = 200, performance_level = "PL1" }]
  }
}

# The data disk outlives the machine, whether it is destroyed or replaced.
resource "machine_allocation" "database" {
  name  = "database-a"
  class = machine_class.database

  retain_disks_on_release = true
}
