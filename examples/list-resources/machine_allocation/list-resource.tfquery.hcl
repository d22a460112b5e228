# terraform query -generate-config-out=found.tf
list "machine_allocation" "found" {
  provider         = machine
  include_resource = true

  config {
    owner   = "*"
    tags    = { role = "worker" }
    settled = false
  }
}
