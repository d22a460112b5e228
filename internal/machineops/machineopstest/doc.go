// Package machineopstest is the contract suite of machineops registrations: what
// the comments of package machineops ask of a registration, as rules that any
// registration can be run through. A new cloud starts from it.
//
// Run reports the rules as subtests. Check returns the violations instead, which
// is how the suite itself is tested: each rule is broken by a registration that is
// deliberately wrong in this one respect.
//
// The rules look at a registration from outside only: at its answers, and at what
// its cloud says was done to it. The suite therefore needs a cloud of its own (an
// emulator) that nobody else changes in the meantime.
package machineopstest
