// Package terraformcli runs the real Terraform or OpenTofu command against a
// provider built from this module, cut off from the settings of the person who
// runs it.
//
// It finds the command ([Find]), builds the provider ([BuildProvider]), puts it
// into a filesystem mirror laid out as a registry ([Install]), and runs commands
// in a working directory ([Workspace]) whose environment is written out in full:
// no TF_ variable, no cloud credential and no CLI configuration of the caller
// gets in. Every command leads a process group of its own, so that it and the
// provider processes it starts end together.
//
// The demo, the acceptance tests and the crash harness use it; the product never
// imports it.
package terraformcli
