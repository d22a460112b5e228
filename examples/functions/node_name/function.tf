output "node_name" {
  value = provider::machine::node_name("cn-hangzhou.i-bp1abc") # izbp1abcz
}
