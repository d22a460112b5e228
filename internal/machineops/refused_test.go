package machineops_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

type answered struct{ said, requestID string }

func (a answered) Error() string { return "a call failed" }

func (a answered) Refused() (said, requestID string) { return a.said, a.requestID }

func TestWhatTheCloudSaidIsFoundInTheChain(t *testing.T) {
	t.Parallel()

	answer := answered{"NoStock", "7"}

	for name, test := range map[string]struct {
		err  error
		want answered
	}{
		"no error":             {nil, answered{}},
		"no answer":            {errors.New("Forbidden (HTTP 403) (request 7)"), answered{}},
		"an answer":            {answer, answer},
		"a wrapped one":        {fmt.Errorf("launching: %w", answer), answer},
		"one among others":     {errors.Join(errors.New("the time is up"), answer), answer},
		"one of a refusal":     {&machineops.PermanentError{Reason: "X", Err: answer}, answer},
		"one that blocks":      {&machineops.BlockedError{Reason: "X", Err: answer}, answer},
		"an answer of nothing": {answered{}, answered{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if said, id := machineops.Refused(test.err); said != test.want.said || id != test.want.requestID {
				t.Errorf("got %q, %q", said, id)
			}
		})
	}
}
