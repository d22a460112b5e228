resource "machine_class" "worker" {
  name = "worker"

  alicloud = {
    image_family       = "acme-node"
    instance_types     = ["ecs.g7.xlarge", "ecs.g6.xlarge"]
    vswitch_ids        = ["vsw-a"]
    security_group_ids = ["sg-1"]
  }
}

variable "join_token" {
  type      = string
  default   = ""
  ephemeral = true
}

resource "machine_allocation" "worker" {
  name  = "worker-a"
  class = machine_class.worker

  # Write-only: in no state, plan or log. Raise the version to use new content.
  user_data_wo         = <<-EOT
    #!/bin/sh
    /opt/acme/join '${var.join_token}'
  EOT
  user_data_wo_version = 1

  tags     = { team = "platform" }
  timeouts = { create = "20m" }
}
