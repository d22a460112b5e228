package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// owner is whose machines all measurements launch.
const owner = "bench/fleet"

// fleet is a configuration of many equal machines.
type fleet struct {
	machines int
	// name begins the names of class and machines.
	name string
	// accepted lets every machine be returned as soon as it is accepted, and one
	// readiness wait for all.
	accepted bool
	// backend is the body of a backend block; empty keeps the state in a file.
	backend string
}

// keys is a set of so many keys in HCL, 00000 and on. The function range makes 1,024
// numbers at most.
func keys(machines int) string {
	const part = 1000

	return fmt.Sprintf(`toset(flatten([for part in range(0, %[1]d, %[2]d) : [for i in range(part, min(part + %[2]d, %[1]d)) : format("%%05d", i)]]))`, machines, part)
}

// configuration is the fleet in HCL.
func (f fleet) configuration() string {
	var text strings.Builder

	fmt.Fprintf(&text, "terraform {\n  required_providers {\n    machine = { source = \"terraform-machine/machine\" }\n  }\n%s}\n\n", f.backend)
	fmt.Fprintf(&text, "provider \"machine\" {\n  owner = %q\n}\n\n", owner)
	fmt.Fprintf(&text, `resource "machine_class" "worker" {
  name = %q
  alicloud = {
    image_id           = "m-acme2"
    instance_types     = ["ecs.g7.large", "ecs.g6.large"]
    vswitch_ids        = ["vsw-a", "vsw-b"]
    security_group_ids = ["sg-1"]
  }
}

`, f.name)

	more := ""
	if f.accepted {
		more = "  wait_until           = \"accepted\"\n"
	}

	fmt.Fprintf(&text, `resource "machine_allocation" "worker" {
  for_each             = %s
  name                 = "%s-${each.key}"
  class                = machine_class.worker
  user_data_wo         = "#!/bin/sh\necho ready\n"
  user_data_wo_version = 1
%s}
`, keys(f.machines), f.name, more)

	if f.accepted {
		text.WriteString(`
resource "machine_readiness" "all" {
  provider_ids = [for machine in machine_allocation.worker : machine.provider_id]
}
`)
	}

	return text.String()
}

// orientation is as many objects of Terraform's own.
func orientation(objects int) string {
	return fmt.Sprintf(`resource "terraform_data" "worker" {
  for_each = toset([for i in range(%d) : format("%%05d", i)])
  input    = { name = "worker-${each.key}", class = "worker" }
}
`, objects)
}

// write puts a configuration into a directory of its own.
func write(directory, configuration string) error {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}

	return os.WriteFile(filepath.Join(directory, "main.tf"), []byte(configuration), 0o600)
}
