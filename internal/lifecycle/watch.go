package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// judge decides over looks that do not show the machine. An accepted launch can be
// withdrawn, and it can be the answer to an earlier launch whose machine is long
// released; both are told apart from a machine that is not listed yet by what this
// process saw, or by the window and a proof.
func (l *launch) judge(resumed bool) func(context.Context, machineops.PollResult) error {
	var (
		unlistedSince time.Time
		blocked       blockade
	)

	seen := resumed

	return func(ctx context.Context, look machineops.PollResult) error {
		if look.Reason != v1alpha3.ReasonNotListed {
			seen = seen || look.Reason == v1alpha3.ReasonBooting
			// A machine that is listed again was not away.
			unlistedSince = time.Time{}

			return nil
		}

		machine := look.Result.ProviderID
		if l.allocator.sawReleased(machine) {
			return replayed(machine)
		}

		now := l.clock().Now()
		if unlistedSince.IsZero() {
			unlistedSince = now
		}

		if now.Sub(unlistedSince) < window() {
			return nil
		}

		absent, err := l.proveAbsent(ctx, machine)
		if refusal := blocked.ends(err); refusal != nil && ctx.Err() == nil {
			return refusal
		}

		if !absent {
			return nil
		}

		if seen {
			return withdrawn(machine)
		}

		if l.slowToList(ctx) {
			return nil
		}

		return l.giveUp(machine)
	}
}

// giveUp gives up a machine that was never listed. If it appears after all, it is the
// older twin.
func (l *launch) giveUp(machine string) *FailedError {
	l.gaveUp = append(l.gaveUp, machine)
	l.around.lost(l.clock())()

	if l.skipped {
		// Nobody has used this token before, so it is no old answer.
		return withdrawn(machine)
	}

	return replayed(machine)
}

// slowToList reports whether a machine that was given up before is there after all.
// Then it is not old answers that are met, but new machines that are listed late, and
// to give up another of them would launch one more.
func (l *launch) slowToList(ctx context.Context) bool {
	return slices.ContainsFunc(l.gaveUp, func(machine string) bool {
		absent, _ := l.proveAbsent(ctx, machine)

		return !absent
	})
}

// proveAbsent looks for the machine by other means than the launch's own look. It
// reports true where its absence is proven, and otherwise what the look failed of.
func (l *launch) proveAbsent(ctx context.Context, machine string) (bool, error) {
	if machine == "" || ctx.Err() != nil {
		return false, machineops.Ended(ctx)
	}

	_, err := l.allocator.machines.Observe(ctx, machine)

	absent := errors.Is(err, ErrAbsent)
	if absent {
		err = nil
	}

	return absent, err
}

func withdrawn(machine string) *FailedError {
	return &FailedError{
		Reason:  v1alpha3.ReasonWithdrawn,
		Message: fmt.Sprintf("the machine %s was accepted, and withdrawn before it ran: no capacity", machine),
	}
}

func replayed(machine string) *FailedError {
	return &FailedError{
		Reason:  v1alpha3.ReasonReplayed,
		Message: fmt.Sprintf("the launch was answered with the released machine %s", machine),
	}
}

// confirm makes sure that a running machine is held by this run: it fails where
// another run has claimed it, and puts a claim of this run on a machine that an
// earlier run launched, so that no older record of it can release it any more.
func (l *launch) confirm(ctx context.Context, machine, claim string, asked time.Time) error {
	observed, err := l.allocator.machines.Observe(ctx, machine)
	if cause := ended(ctx); cause != nil {
		return cause
	}

	switch {
	case errors.Is(err, ErrAbsent):
		l.unconfirmed = false

		return &machineops.PermanentError{
			Reason: v1alpha3.ReasonWithdrawn,
			Err:    fmt.Errorf("the machine %s ran, and does not exist any more: %w", machine, err),
		}
	case err != nil && l.unconfirmed:
		return stepFailed(machine, "reading back the claim on "+machine, err)
	case err != nil:
		// The machine was seen running a moment ago: a failed look costs nothing, and
		// the next read repeats it.
		return nil //nolint:nilerr // See above.
	case l.unconfirmed && observed.Claim == l.adoption:
		l.adopted()

		return nil
	case observed.Claim != "" && observed.Claim != claim:
		l.unconfirmed = false

		return &machineops.PermanentError{
			Reason: v1alpha3.ReasonTaken,
			Err:    fmt.Errorf("%s is held by another run, which took it over; nothing was changed", machine),
		}
	case !olderThan(observed.CreatedAt, asked):
		return nil
	}

	if l.adoption == "" {
		l.adoption = l.allocator.options.NewID()
	}

	l.unconfirmed = true

	if err := l.allocator.machines.Claim(ctx, machine, l.adoption); err != nil {
		if cause := ended(ctx); cause != nil {
			return cause
		}

		return stepFailed(machine, "taking over "+machine+", which an earlier run launched", err)
	}

	l.adopted()

	return nil
}

func (l *launch) adopted() {
	l.unconfirmed = false
	l.allocated.Claim = l.adoption
	l.allocated.Adopted = true
}

// olderThan reports whether a machine was there before it was asked for. Creation
// times have minute precision.
func olderThan(created, asked time.Time) bool {
	return created.Add(2 * time.Minute).Before(asked)
}
