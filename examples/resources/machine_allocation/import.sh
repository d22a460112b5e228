# A machine that exists already, by its provider id: <region>.<instance id>
terraform import machine_allocation.worker cn-hangzhou.i-bp1example0000000001
