package machineops_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

func TestWhatEndsAnOperationBeforeTheHostIsTouchedIsTold(t *testing.T) {
	t.Parallel()

	cause := errors.New("not authorized")
	denied := &machineops.PermanentError{Reason: "PermissionDenied", Err: cause}

	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"marked":                    {machineops.Untouched(denied), true},
		"marked and wrapped":        {fmt.Errorf("begin: %w", machineops.Untouched(denied)), true},
		"wrapped and marked":        {machineops.Untouched(fmt.Errorf("begin: %w", denied)), true},
		"not marked":                {denied, false},
		"what a repeat may mend":    {machineops.Untouched(cause), false},
		"a refusal without a cause": {machineops.Untouched(&machineops.PermanentError{Reason: "Busy"}), false},
		"none":                      {machineops.Untouched(nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := machineops.IsUntouched(test.err); got != test.want {
				t.Errorf("it is untouched: %t, want %t", got, test.want)
			}
		})
	}

	marked := machineops.Untouched(denied)

	var permanent *machineops.PermanentError
	if !errors.As(marked, &permanent) || permanent.Reason != denied.Reason || !errors.Is(marked, cause) || marked.Error() != denied.Error() {
		t.Errorf("the mark makes %v of %v", marked, denied)
	}
}
