package main

import (
	"strings"
	"testing"
)

func TestUnexpectedPlanIsShownBesideTheExpectedOne(t *testing.T) {
	t.Parallel()

	got := planned{"machine_allocation.a": "delete and create"}

	err := got.expect(planned{"machine_allocation.a": "update", "machine_class.b": "create"})
	if err == nil {
		t.Fatal("no error")
	}

	for _, want := range []string{"machine_allocation.a: update", "machine_class.b: create", "machine_allocation.a: delete and create"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}

	if err := got.expect(planned{"machine_allocation.a": "delete and create"}); err != nil {
		t.Error(err)
	}

	if err := (planned{}).expect(nil); err != nil {
		t.Error(err)
	}
}
