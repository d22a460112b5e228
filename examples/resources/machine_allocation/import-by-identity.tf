import {
  to = machine_allocation.worker
  identity = {
    region      = "cn-hangzhou" # default: the provider's
    instance_id = "i-bp1example0000000001"
  }
}
