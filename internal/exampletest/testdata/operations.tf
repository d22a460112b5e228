terraform {
  required_providers {
    machine = { source = "terraform-machine/machine" }
  }
}

provider "machine" {
  owner = "platform/prod"
}

variable "machine" {
  type = string
}

variable "other" {
  type = string
}

resource "machine_operation" "off" {
  name        = "off"
  provider_id = var.machine
  kind        = "HostPowerOff"
  parameters  = { graceful_timeout = "1m", console_output_on_failure = "true" }
}

resource "machine_operation" "on" {
  name        = "on"
  provider_id = var.machine
  kind        = "HostPowerOn"

  depends_on = [machine_operation.off]
}

resource "machine_operation" "reboot" {
  name        = "reboot"
  provider_id = var.machine
  kind        = "HostReboot"

  depends_on = [machine_operation.on]
}

resource "machine_operation" "replace" {
  name        = "replace"
  provider_id = var.other
  kind        = "HostReplace"
  parameters  = { image_id = "m-acme2" }

  replace_user_data_wo = "#!/bin/sh\n"
}
