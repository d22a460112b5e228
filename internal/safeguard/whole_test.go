//go:build !faults

package safeguard_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// What users build has all of them, whatever the environment says.
func TestNoSafeguardCanBeLeftOut(t *testing.T) {
	for _, each := range safeguard.All() {
		t.Setenv("TF_MACHINE_FAULT", string(each))

		if safeguard.Missing(each) {
			t.Errorf("%s is left out", each)
		}
	}
}
