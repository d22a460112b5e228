terraform {
  required_providers {
    machine = {
      source  = "terraform-machine/machine"
      version = "~> 0.1"
    }
  }
}

# Credentials are read from ALIBABA_CLOUD_ACCESS_KEY_ID and
# ALIBABA_CLOUD_ACCESS_KEY_SECRET, or from ALICLOUD_ACCESS_KEY and
# ALICLOUD_SECRET_KEY.
provider "machine" {
  owner    = "platform/prod"
  alicloud = { region = "cn-hangzhou" }
}
