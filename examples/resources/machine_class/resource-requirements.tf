# By what a machine has to be, in place of a list of names.
resource "machine_class" "builder" {
  name = "builder"

  alicloud = {
    image_family = "acme-node"
    requirements = {
      vcpus               = { min = 4, max = 8 }
      memory_gib_per_vcpu = { min = 4 }
      exclude_families    = ["ecs.i3"]
    }
    type_order     = "cheapest"
    capacity_types = ["spot", "on_demand"]
    spot = {
      price_limit_per_hour = 0.9
      protection_hours     = 0
    }
    vswitch_ids        = ["vsw-a", "vsw-b", "vsw-c"]
    security_group_ids = ["sg-1"]

    system_disk = {
      category          = "cloud_essd"
      performance_level = "PL0"
      size_gib          = 40
    }
    data_disks = [
      { category = "cloud_auto", size_gib = 200, burst_enabled = true },
    ]

    metadata_options = { http_tokens = "required" } # IMDSv2 only
    tags             = { team = "build" }
  }
}
