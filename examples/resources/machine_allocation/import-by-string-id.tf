import {
  to = machine_allocation.worker
  id = "cn-hangzhou.i-bp1example0000000001" # <region>.<instance id>
}
