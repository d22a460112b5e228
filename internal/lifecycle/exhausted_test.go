package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestRefusalsAreToldByWhatWasSaid(t *testing.T) {
	t.Parallel()

	const soldOut = "NoStock (HTTP 403): The resource is sold out"

	attempt := func(id, reason, said, request string) lifecycle.Attempt {
		return lifecycle.Attempt{Offering: offering(id), Reason: reason, Message: "launching w: " + said, Said: said, RequestID: request}
	}
	many := func(count int) []lifecycle.Attempt {
		var attempts []lifecycle.Attempt
		for n := range count {
			attempts = append(attempts, attempt(fmt.Sprint(n), v1alpha3.ReasonInsufficientCapacity, soldOut, fmt.Sprintf("R-%d", n)))
		}

		return attempts
	}

	lines := func(count int) []string {
		var lines []string
		for n := range count {
			lines = append(lines, fmt.Sprintf("- type-%d in a (on_demand), request R-%d", n, n))
		}

		return lines
	}

	remembered := attempt("old", v1alpha3.ReasonInsufficientCapacity, soldOut, "R-old")
	remembered.Remembered, remembered.Age, remembered.At = true, 90*time.Second, start()

	for name, test := range map[string]struct {
		attempts []lifecycle.Attempt
		want     []string
	}{
		"one": {many(1), []string{"- type-0 in a (on_demand): no stock: " + soldOut + " (request R-0)"}},
		"several alike": {
			append(many(2), remembered),
			[]string{
				"no stock: " + soldOut + ":",
				"- type-0 in a (on_demand), request R-0",
				"- type-1 in a (on_demand), request R-1",
				"- type-old in a (on_demand), request R-old (asked 1m30s before, at 12:00:00 UTC, and not again)",
			},
		},
		"what differs is told apart": {
			append(many(2),
				attempt("full", v1alpha3.ReasonNetworkFull, "IpNotEnough (HTTP 400): No address", "R-full"),
				lifecycle.Attempt{Offering: offering("away"), Reason: v1alpha3.ReasonWithdrawn, Message: "the machine m-1 was withdrawn"}),
			[]string{
				"no stock: " + soldOut + " (2 of them):",
				"- type-0 in a (on_demand), request R-0",
				"- type-1 in a (on_demand), request R-1",
				"- type-full in net, a (on_demand): no free address: IpNotEnough (HTTP 400): No address (request R-full)",
				"- type-away in a (on_demand): the machine m-1 was withdrawn",
			},
		},
		"a long list is cut": {many(40), append(append([]string{"no stock: " + soldOut + ":"}, lines(12)...), "- and 28 more")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			text := (&lifecycle.ExhaustedError{Class: "worker", Attempts: test.attempts}).Error()
			want := fmt.Sprintf("every offering of the class \"worker\" was refused (%d in all):\n", len(test.attempts)) + strings.Join(test.want, "\n")

			if text != want {
				t.Errorf("it is told\n%s\nwant\n%s", text, want)
			}
		})
	}

	t.Run("many reasons are cut", func(t *testing.T) {
		t.Parallel()

		var attempts []lifecycle.Attempt
		for n := range 9 {
			attempts = append(attempts, attempt(fmt.Sprint(n), v1alpha3.ReasonTermsNotOffered, fmt.Sprintf("Code%d", n), "R"))
		}

		text := (lifecycle.Allocated{Attempts: attempts}).Refusals()
		if strings.Count(text, "\n") != 7 || !strings.HasSuffix(text, "\n- and 3 more, for other reasons") {
			t.Errorf("it is told\n%s", text)
		}
	})
}
