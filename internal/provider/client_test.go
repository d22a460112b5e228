package provider

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestPlannedNames(t *testing.T) {
	t.Parallel()

	var names plannedNames

	for i, step := range []struct {
		region, name, machine string
		want                  bool
	}{
		{"cn-hangzhou", "a", "", true},
		{"cn-hangzhou", "a", "", false},
		{"cn-shanghai", "a", "", true},
		{"cn-hangzhou", "b", "i-1", true},
		// Both halves of a replacement.
		{"cn-hangzhou", "b", "i-1", true},
		{"cn-hangzhou", "b", "i-2", false},
		{"cn-hangzhou", "b", "", false},
		{"cn-hangzhou", "a", "i-3", false},
	} {
		if got := names.add(step.region, step.name, step.machine); got != step.want {
			t.Errorf("step %d: add(%q, %q, %q) is %v", i, step.region, step.name, step.machine, got)
		}
	}
}

func TestOfManyPlansOfOneNameOneWins(t *testing.T) {
	t.Parallel()

	var (
		names plannedNames
		won   atomic.Int64
		plans sync.WaitGroup
	)

	for range 50 {
		plans.Go(func() {
			if names.add("cn-hangzhou", "a", "") {
				won.Add(1)
			}
		})
	}

	plans.Wait()

	if won.Load() != 1 {
		t.Errorf("%d plans got the name", won.Load())
	}
}

func TestHeldMachines(t *testing.T) {
	t.Parallel()

	var held noted

	if held.has("cn-hangzhou.i-1") {
		t.Error("a machine is held before any was launched")
	}

	held.add("cn-hangzhou.i-1")

	if !held.has("cn-hangzhou.i-1") || held.has("cn-hangzhou.i-2") {
		t.Error("not exactly the launched machine is held")
	}
}

// Two resources that hold one machine would release it under each other.
func TestAMachineIsPlannedUnderOneName(t *testing.T) {
	t.Parallel()

	var planned plannedNames

	for _, test := range []struct {
		machine, name, other string
		taken                bool
	}{
		{machine: "cn-hangzhou.i-1", name: "one"},
		{machine: "cn-hangzhou.i-1", name: "one", other: "one"},
		{machine: "cn-hangzhou.i-2", name: "two"},
		{machine: "cn-hangzhou.i-1", name: "three", other: "one", taken: true},
	} {
		other, taken := planned.addMachine(test.machine, test.name)
		if other != test.other || taken != test.taken {
			t.Errorf("addMachine(%s, %s) = %q, %t; want %q, %t", test.machine, test.name, other, taken, test.other, test.taken)
		}
	}
}
