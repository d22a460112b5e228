// Package core is a stand-in for Terraform's core, as far as one machine_class, one
// machine_allocation and operations on that machine go: it refreshes, plans and applies
// them through the provider protocol, in this process.
//
// It does what Terraform 1.11 was seen to do: one provider process plans, another
// applies; a create is planned again when it is applied; private state gets lost
// where Terraform loses it; an error with a state taints a create; an object that is
// replaced after its successor was created is deposed meanwhile. State is saved after
// each step, or at the end where the backend is a remote one.
//
// The crash harness runs on it the points that are too many for the real command.
package core
