output "region" {
  value = provider::machine::parse_provider_id("alicloud://cn-hangzhou.i-bp1abc").region # cn-hangzhou
}

output "instance_id" {
  value = provider::machine::parse_provider_id("cn-hangzhou.i-bp1abc").instance_id # i-bp1abc
}
