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
	// most is how many machines one resource has; zero puts all into one. Terraform's own
	// time with a resource grows faster than the number of its instances.
	most int
	// name begins the names of class and machines.
	name string
	// accepted lets every machine be returned as soon as it is accepted, and one
	// readiness wait for all.
	accepted bool
	// backend is the body of a backend block; empty keeps the state in a file.
	backend string
}

// part is one of the resources that a fleet is written as.
type part struct {
	name string
	// from and to bound its keys, the second not included.
	from, to int
}

// parts are the resources of the fleet.
func (f fleet) parts() []part {
	most := f.most
	if most == 0 {
		most = f.machines
	}

	var parts []part

	for from := 0; from < f.machines; from += most {
		name := "worker"
		if from > 0 {
			name = fmt.Sprintf("worker_%d", from/most)
		}

		parts = append(parts, part{name, from, min(from+most, f.machines)})
	}

	return parts
}

// key is the key of a machine in for_each.
func key(number int) string { return fmt.Sprintf("%05d", number) }

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

	for _, part := range f.parts() {
		fmt.Fprintf(&text, `resource "machine_allocation" %q {
  for_each             = toset([for i in range(%d, %d) : format("%%05d", i)])
  name                 = "%s-${each.key}"
  class                = machine_class.worker
  user_data_wo         = "#!/bin/sh\necho ready\n"
  user_data_wo_version = 1
%s}
`, part.name, part.from, part.to, f.name, more)
	}

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
