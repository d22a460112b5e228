resource "machine_class" "builder" {
  name = "builder"

  alicloud = {
    image_family = "acme-node"
    requirements = {
      vcpus               = { min = 4, max = 8 }
      memory_gib_per_vcpu = { min = 4, max = 8 }
      families            = ["ecs.g7", "ecs.g6", "ecs.r7"]
    }
    vswitch_ids        = ["vsw-a", "vsw-b"]
    security_group_ids = ["sg-1"]
  }
}
