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

# Rebooted once for each value of the trigger, as from within.
resource "machine_operation" "kernel" {
  name        = "kernel"
  provider_id = machine_allocation.worker.provider_id
  kind        = "HostReboot"
  triggers    = { kernel = "5.10.134-17" }
}

# A new system disk; the machine keeps its ID and its addresses.
resource "machine_operation" "reinstall" {
  name        = "reinstall"
  provider_id = machine_allocation.worker.provider_id
  kind        = "HostReplace"

  parameters = {
    image_id            = "m-acme2"
    graceful_timeout    = "5m"
    force_after_timeout = "true"
  }

  # Write-only: in no state, plan or log. Change a trigger to use new content.
  replace_user_data_wo = "#!/bin/sh\necho reinstalled\n"
  triggers             = { user_data = "2" }

  depends_on = [machine_operation.kernel]
}
