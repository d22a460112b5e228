package provider

import (
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

func TestMatches(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"worker-a", "worker-a", true},
		{"worker-a", "worker-ab", false},
		{"*", "", true},
		{"worker-*", "worker-", true},
		{"worker-*", "the-worker-a", false},
		{"*-a", "worker-a", true},
		{"w*r-*", "worker-a", true},
		// What the ends take is not there for the middle.
		{"ab*ba", "aba", false},
		{"a*b*c", "abc", true},
		{"a*b*b", "ab", false},
		{"*er*er*", "worker", false},
		{"**", "worker", true},
		{"[a-z]*", "worker", false},
	} {
		if got := matches(test.pattern, test.text); got != test.want {
			t.Errorf("matches(%q, %q) is %v", test.pattern, test.text, got)
		}
	}
}

func TestAnExpiredSubscriptionIsToldByTheTime(t *testing.T) {
	t.Parallel()

	end := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	machine := &driver.ObservedMachine{ExpiresAt: end, PhaseReason: driver.PhaseReasonFinancial}

	for at, want := range map[time.Time]driver.PhaseReason{
		end.Add(-time.Second): driver.PhaseReasonFinancial,
		end:                   driver.PhaseReasonExpired,
		end.Add(time.Hour):    driver.PhaseReasonExpired,
	} {
		if got := phaseReason(machine, at); got != want {
			t.Errorf("at %s the reason is %q, want %q", at, got, want)
		}
	}
}

func TestAReclaimIsToldAheadByItsNotice(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 11, 30, 0, 0, 0, 999, time.UTC)

	if by := reclaimedBy(&driver.ObservedMachine{}, now); !by.IsZero() {
		t.Errorf("a machine that is not taken back goes at %s", by)
	}

	if by := reclaimedBy(&driver.ObservedMachine{ReclaimNotice: 5 * time.Minute}, now); !by.Equal(now.Truncate(time.Second).Add(5 * time.Minute)) {
		t.Errorf("it goes at %s", by)
	}
}
