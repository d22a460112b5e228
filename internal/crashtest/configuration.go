package crashtest

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	owner = "crash/test"
	// settledTag is the tag whose writing a setting denies.
	settledTag        = "terraform-machine/settled"
	allocationAddress = "machine_allocation.worker"
)

// header stands at the top of every configuration. What the provider needs beside
// the owner comes from the environment.
const header = `terraform {
  required_providers {
    machine = { source = "terraform-machine/machine" }
  }
%s}

provider "machine" {
  owner = "` + owner + `"
}

variable "user_data" {
  type      = string
  sensitive = true
  ephemeral = true
}

`

// remoteBackend is configured by environment variables.
const remoteBackend = "  backend \"http\" {}\n"

func configurationHeader(remoteState bool) string {
	if remoteState {
		return fmt.Sprintf(header, remoteBackend)
	}

	return fmt.Sprintf(header, "")
}

// change changes one argument of a block: its name and its expression.
type change [2]string

func imageOf(id string) change { return change{"image_id", strconv.Quote(id)} }

func typesOf(ids ...string) change {
	return change{"instance_types", `["` + strings.Join(ids, `", "`) + `"]`}
}

func tagsOf(key, value string) change { return change{"tags", fmt.Sprintf("{ %s = %q }", key, value)} }

// class is the class of all machines. Changes are of its alicloud argument.
func class(changes ...change) string {
	arguments := []change{
		{"image_id", `"m-acme2"`},
		{"instance_types", `["ecs.g7.large"]`},
		{"vswitch_ids", `["vsw-a"]`},
		{"security_group_ids", `["sg-1"]`},
	}

	return "resource \"machine_class\" \"worker\" {\n" + classHead + "  alicloud = {\n" + argumentLines(arguments, changes, "    ") + "  }\n}\n\n"
}

// classHead is where the one line goes that an error may ask for.
const classHead = "  name = \"worker\"\n"

// withClassUID adds the line to a configuration that an error asked for.
func withClassUID(configuration, uid string) string {
	return strings.Replace(configuration, classHead, classHead+"  uid = "+strconv.Quote(uid)+"\n", 1)
}

// allocation is one machine.
func allocation(changes ...change) string {
	return allocationBlock(append([]change{{"name", `"worker-a"`}, {"class", "machine_class.worker"}}, firstBoot()...), changes)
}

// accepted is one machine that is waited for only until it was seen.
func accepted() string { return allocation(change{"wait_until", `"accepted"`}) }

// graceful is one machine that is given so long to shut down before it is released.
func graceful(grace string) string {
	return allocation(change{"graceful_release", strconv.Quote(grace)})
}

// unbooted is one machine without first-boot data.
func unbooted() string {
	return allocationBlock([]change{{"name", `"worker-a"`}, {"class", "machine_class.worker"}}, nil)
}

// imported is a machine that somebody made by hand, whose first boot is over.
func imported() string { return unbooted() + importBlock }

func firstBoot() []change {
	return []change{{"user_data_wo", "var.user_data"}, {"user_data_wo_version", "1"}}
}

// fleet is many machines.
func fleet(count int) string {
	return allocationBlock(append([]change{
		{"count", strconv.Itoa(count)},
		{"name", `"worker-${count.index}"`},
		{"class", "machine_class.worker"},
	}, firstBoot()...), nil)
}

func allocationBlock(arguments, changes []change) string {
	return "resource \"machine_allocation\" \"worker\" {\n" + argumentLines(arguments, changes, "  ") + "}\n"
}

// createBeforeDestroy makes a resource block one whose replacement comes first.
func createBeforeDestroy(block string) string {
	return strings.TrimSuffix(block, "}\n") + "  lifecycle {\n    create_before_destroy = true\n  }\n}\n"
}

const importBlock = `
import {
  to = ` + allocationAddress + `
  id = "%[1]s"
}
`

func argumentLines(arguments, changes []change, indent string) string {
	var text strings.Builder

	write := func(c change) { fmt.Fprintf(&text, "%s%s = %s\n", indent, c[0], c[1]) }
	changed := map[string]bool{}

	for _, c := range changes {
		changed[c[0]] = true
		write(c)
	}

	for _, c := range arguments {
		if !changed[c[0]] {
			write(c)
		}
	}

	return text.String()
}
