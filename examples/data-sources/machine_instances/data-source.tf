# What an interrupted apply may have left, and the command that takes each into a state.
data "machine_instances" "unsettled" {
  settled      = false
  younger_than = "72h"
}

output "leftovers" {
  value = {
    for machine in data.machine_instances.unsettled.instances :
    machine.provider_id => machine.import_command if machine.leftover
  }
}

# Machines of every owner, and of none, that carry a tag and do not run.
data "machine_instances" "asleep" {
  owner  = "*"
  tags   = { role = "worker" }
  phases = ["Stopped", "Locked", "Reclaiming"]
}

output "asleep" {
  value = {
    for machine in data.machine_instances.asleep.instances :
    machine.provider_id => "${machine.phase} (${coalesce(machine.phase_reason, "no reason known")})"
  }
}
