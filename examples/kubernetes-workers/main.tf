terraform {
  required_version = ">= 1.11"

  required_providers {
    machine = {
      source  = "terraform-machine/machine"
      version = "~> 0.1"
    }
  }
}

provider "machine" {
  owner    = "platform/kubernetes"
  alicloud = { region = "cn-hangzhou" }
}

variable "pools" {
  description = "The node pools by name: what their machines are like, and how many there are."

  type = map(object({
    nodes          = number
    instance_types = list(string)
    capacity_types = optional(list(string), ["on_demand"])
  }))

  default = {
    system = {
      nodes          = 1
      instance_types = ["ecs.g7.xlarge", "ecs.g6.xlarge"]
    }
    batch = {
      nodes          = 2
      instance_types = ["ecs.g7.xlarge", "ecs.g6.xlarge", "ecs.c7.2xlarge"]
      capacity_types = ["spot", "on_demand"]
    }
  }
}

variable "api_server" {
  description = "The cluster's endpoint, host:port."
  type        = string
  default     = "10.0.0.10:6443"
}

variable "ca_hash" {
  description = "The hash of the cluster's certificate authority, by which a node knows that it talks to the cluster."
  type        = string
  default     = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
}

# Ephemeral: it is in no state and in no saved plan. Where it comes from a secret store,
# an ephemeral resource takes the place of the variable.
variable "join_token" {
  description = "A bootstrap token of the cluster."
  type        = string
  default     = ""
  ephemeral   = true
}

locals {
  nodes = merge([
    for pool, settings in var.pools : {
      for index in range(settings.nodes) : format("%s-%02d", pool, index) => pool
    }
  ]...)
}

resource "machine_class" "pool" {
  for_each = var.pools

  name = each.key

  alicloud = {
    image_family       = "acme-node"
    instance_types     = each.value.instance_types
    capacity_types     = each.value.capacity_types
    vswitch_ids        = ["vsw-a", "vsw-b", "vsw-c"] # one in each zone: the pool is spread over them
    security_group_ids = ["sg-1"]
    system_disk        = { size_gib = 100 }
    metadata_options   = { http_tokens = "required" } # what runs in a pod gets no role of the node
    tags               = { pool = each.key }
  }
}

resource "machine_allocation" "node" {
  for_each = local.nodes

  name       = each.key
  class      = machine_class.pool[each.value]
  wait_until = "accepted" # the readiness below waits for all of them together

  user_data_wo = templatefile("${path.module}/join.sh.tftpl", {
    api_server = var.api_server
    ca_hash    = var.ca_hash
    token      = var.join_token
    pool       = each.value
  })
  user_data_wo_version = 1

  graceful_release = "2m" # the kubelet tells its pods to end

  timeouts = { create = "20m" }
}

resource "machine_readiness" "nodes" {
  provider_ids = [for node in machine_allocation.node : node.provider_id]
  timeouts     = { create = "20m", update = "20m" }
}

# As the nodes register: spec.providerID and metadata.name.
output "nodes" {
  description = "The nodes by the name that they register under."
  value = {
    for node in machine_allocation.node : node.node_name => {
      provider_id = node.provider_id
      zone        = node.zone
      offering    = node.offering
      address     = one(machine_readiness.nodes.private_ips[node.provider_id])
    }
  }
}
