package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// Allocate gets one host of the class. It looks first for what an interrupted run
// left under the identity, and takes that over. Else it tries the offerings in
// order, each once, until one holds; those whose published stock is sold out come
// last. Where an earlier process, or a lost answer, may have launched another one,
// it looks once more before it returns, and releases what there is too much.
//
// The error is nil exactly when a host is there and running (or, with UntilSeen,
// seen); it is an *UnfinishedError where the wait ended first (Allocated.ProviderID
// then says whether a machine is already known), a *ConflictError, a *FailedError,
// an *ExhaustedError, a *DuplicateError, or an error of class resolution.
//
// What a failed launch reports as owned is released before Allocate returns; where
// that does not succeed, Allocated and the error name it.
func (a *Allocator) Allocate(ctx context.Context, request AllocateRequest) (Allocated, error) {
	if !a.reserve(request.Identity, request.Pending != nil) {
		return Allocated{}, &DuplicateError{Name: request.Identity.Name}
	}

	launch := newLaunch(a, request)

	defer func() { a.settle(request.Identity, launch.allocated.ProviderID) }()

	if request.Pending != nil {
		launch.index = max(request.Pending.Attempts-1, 0)
	}

	err := launch.run(ctx)
	launch.unmarkReplaced(ctx, err)

	return launch.allocated, err
}

// launch is one call of Allocate.
type launch struct {
	allocator *Allocator
	request   AllocateRequest
	allocated Allocated
	// index counts the launches of the identity; see Identity.OperationUID.
	index int
	// tried are the offerings that this call will not ask for again.
	tried map[candidate]struct{}
	// again is set once the offerings were asked for a second time.
	again bool
	// skipped is set once the launches go on at an index that no earlier process has
	// used; see skipSpent.
	skipped bool
	// gaveUp are the machines that were given up because they were never listed.
	gaveUp []string
	// probing is set while others wait for the answer to this launch.
	probing bool
	// held is set while the machine is known by a record or by an adoption, and
	// recorded while it is by a record.
	held, recorded bool
	// around is what has to be found out about other machines of the name.
	around surroundings
	// adoption is the claim that an adoption writes, once one is needed.
	adoption string
	// unconfirmed is set while an adoption is written and not read back.
	unconfirmed bool
}

func (l *launch) clock() clock.Clock { return l.allocator.runner.Clock }

func newLaunch(a *Allocator, request AllocateRequest) *launch {
	now := a.runner.Clock.Now()
	l := &launch{allocator: a, request: request, tried: map[candidate]struct{}{}}
	l.around.windowFrom = a.options.Started
	l.around.lastLookDue = now.Before(a.WindowEnd()) || request.Pending != nil
	l.around.lookDue = true
	l.around.lookFrom = a.options.Started

	if !now.Before(a.WindowEnd()) {
		l.around.lookFrom = a.WindowEnd()
	}

	// Who could not follow a launch may not look any more, and is shown that by a list
	// from after it, before anything else is launched.
	if at := a.lastBlocked(); l.around.lookFrom.Before(at) {
		l.around.lookFrom = at
	}

	return l
}

func (l *launch) run(ctx context.Context) error {
	// A launch that was intended and not answered is simply asked for again.
	if pending := l.request.Pending; pending != nil && pending.Stage != StageIntended {
		l.recorded = true
		again, err := l.attempt(ctx, l.request.PendingOffering, pending)
		l.recorded = false

		if !again {
			return err
		}

		l.index++
	}

	for {
		if held, err := l.look(ctx); held || err != nil {
			return err
		}

		offering, found, err := l.next(ctx)
		if err != nil {
			return err
		}

		if !found {
			again, err := l.askAgain(ctx)
			if err != nil {
				return err
			}

			if !again {
				again, err = l.awaitGivenUp(ctx)
			}

			if err != nil {
				return err
			}

			if again {
				continue
			}

			return &ExhaustedError{Class: l.request.Class.Name, Attempts: l.allocated.Attempts}
		}

		l.markReplaced(ctx)

		held, err := l.launch(ctx, offering)
		if held || err != nil {
			return err
		}
	}
}

// launch tries one offering under one index after another, until it holds (true),
// is refused or no longer valid (false), or fails.
func (l *launch) launch(ctx context.Context, offering v1alpha3.MachineClassOffering) (bool, error) {
	if l.probing {
		// Whatever became of it, nobody waits any longer.
		defer l.allocator.endProbe(offering)
	}

	for relaunches := 0; ; relaunches++ {
		l.index = max(l.index, l.allocator.firstIndex(l.request.Identity))

		again, err := l.attempt(ctx, offering, nil)
		if !again {
			return err == nil, err
		}

		l.index++

		switch l.allocated.Attempts[len(l.allocated.Attempts)-1].Reason {
		case v1alpha3.ReasonReplayed, v1alpha3.ReasonTokenSpent, reasonSuperseded:
		default:
			return false, nil
		}

		// One spent index is usual, and a long row of them is no reason to hurry.
		if relaunches > 0 {
			if cause := wait(ctx, l.clock(), retryDelay(relaunches-1)); cause != nil {
				return false, &UnfinishedError{Cause: cause, LastState: l.allocated.Attempts[len(l.allocated.Attempts)-1].Message}
			}
		}

		if held, err := l.look(ctx); held || err != nil {
			return held, err
		}

		if l.skipSpent() || !l.clock().Now().Before(offering.ValidUntil.Time) {
			// It was not the offering that was refused, so its successor may be tried.
			delete(l.tried, candidateOf(offering))

			return false, nil
		}
	}
}

// attempt runs one launch. It reports true where another launch is to follow.
func (l *launch) attempt(ctx context.Context, offering v1alpha3.MachineClassOffering, pending *PendingOperation) (bool, error) {
	claim := l.request.Identity.LaunchClaim(l.index)
	if pending != nil && pending.Claim != "" {
		claim = pending.Claim
	}

	asked := l.clock().Now()
	if pending != nil {
		asked = pending.BeganAt
	}

	l.allocated.Claim = claim
	l.unconfirmed = false
	l.held = pending != nil

	outcome, err := l.allocator.runner.Run(machineops.WithLostAnswerReport(ctx, l.around.lost(l.clock())), Run{
		Request:  l.operationRequest(offering, claim),
		Pending:  pending,
		Attempts: l.index + 1,
		Recorder: l.request.Recorder,
		Begun:    func() { l.allocator.noteAccepted(offering) },
		Judge:    l.judge(pending != nil),
		Enough: func(look machineops.PollResult) bool {
			return l.request.UntilSeen &&
				(look.Reason == v1alpha3.ReasonBooting && look.Result.Allocation != nil || safeguard.Missing(safeguard.SeenFirst))
		},
		Apply: func(ctx context.Context, result machineops.OperationResult) error {
			if result.Allocation == nil {
				return nil
			}

			if err := l.confirm(ctx, result.ProviderID, claim, asked); err != nil {
				return err
			}

			return l.lookOnceMore(ctx, result.ProviderID)
		},
	})

	l.allocated.Stalled = outcome.Stalled
	l.answered(outcome.Result.ProviderID)

	if blocked := Blocked(err); blocked != nil {
		l.answered(blocked.ProviderID)
		l.allocator.noteBlocked()
	}

	var failed *FailedError
	if errors.As(err, &failed) {
		return l.failed(ctx, offering, outcome, failed)
	}

	if l.unconfirmed {
		// State may only hold a claim that was read on the machine.
		l.forget()

		return false, err
	}

	l.hold(offering, outcome)

	if err == nil && l.allocated.ProviderID == "" {
		return false, &FailedError{
			Reason:  ReasonIncompleteAnswer,
			Message: fmt.Sprintf("%s reports that %q was allocated, and names no host", l.allocator.runner.Registration.Name(), l.request.Identity.Name),
		}
	}

	return false, err
}

// hold takes over what is known of a machine that is ours.
func (l *launch) hold(offering v1alpha3.MachineClassOffering, outcome Outcome) {
	l.allocated.Offering = offering
	l.allocated.Pending = outcome.Pending
	l.allocated.CleanupError = outcome.CleanupError

	if l.allocated.Pending != nil && l.allocated.Claim != l.request.Identity.LaunchClaim(l.index) {
		l.allocated.Pending.Claim = l.allocated.Claim
	}

	if outcome.Result.Allocation == nil && safeguard.Missing(safeguard.SeenFirst) {
		_, instance, _ := strings.Cut(outcome.Result.ProviderID, ".")
		outcome.Result.Allocation = &machineops.AllocationResult{ProviderResourceID: instance}
	}

	if outcome.Result.Allocation == nil {
		l.allocated.Claim = ""

		return
	}

	l.allocated.ProviderID = outcome.Result.ProviderID
	l.allocated.Result = *outcome.Result.Allocation
}

// forget makes the allocation one of which nothing is kept but its attempts.
func (l *launch) forget() {
	l.allocated = Allocated{
		Attempts: l.allocated.Attempts, Stalled: l.allocated.Stalled,
		Neighbors: l.allocated.Neighbors, Answered: l.allocated.Answered,
	}
}

// failed decides what follows a launch that ended without a machine.
func (l *launch) failed(ctx context.Context, offering v1alpha3.MachineClassOffering, outcome Outcome, failed *FailedError) (bool, error) {
	claim := l.allocated.Claim
	l.forget()

	var conflict *ConflictError

	switch {
	case errors.As(failed, &conflict):
		return false, l.yield(ctx, offering, outcome, claim, conflict)
	case failed.Reason == reasonSuperseded:
		return l.supersede(ctx, offering, outcome, claim, failed)
	}

	switch failed.Reason {
	case v1alpha3.ReasonReplayed, v1alpha3.ReasonTokenSpent:
		// What there is belongs to somebody.
		l.note(offering, failed)

		err := l.lookAfterSpent(ctx, failed.Reason, outcome.Result.ProviderID)

		return err == nil, err
	case v1alpha3.ReasonTaken:
		return false, failed
	case v1alpha3.ReasonInsufficientCapacity, v1alpha3.ReasonTermsNotOffered, v1alpha3.ReasonNetworkFull, v1alpha3.ReasonWithdrawn:
		l.allocator.rememberRefusal(l.request.Class, offering, failed)

		if l.skipped {
			l.allocator.confirmRefusal(refusedKey(l.request.Class, offering, failed.Reason))
		}

		l.note(offering, failed)

		if failed.Reason == v1alpha3.ReasonWithdrawn {
			l.around.lookAgain(l.clock().Now())
		}

		if failed.Reason == v1alpha3.ReasonWithdrawn && onlyHost(outcome.Result) {
			return true, nil
		}

		left := l.releaseLeftBehind(ctx, offering, outcome, claim, failed)

		return left == nil, left
	default:
		if left := l.releaseLeftBehind(ctx, offering, outcome, claim, failed); left != nil {
			return false, left
		}

		return false, failed
	}
}

func (l *launch) note(offering v1alpha3.MachineClassOffering, failed *FailedError) {
	text, requestID := machineops.Refused(failed)

	l.allocated.Attempts = append(l.allocated.Attempts, Attempt{
		Offering: offering, Reason: failed.Reason, Message: failed.Error(), Said: text, RequestID: requestID, At: l.clock().Now(),
	})
}

func (l *launch) operationRequest(offering v1alpha3.MachineClassOffering, claim string) machineops.OperationRequest {
	identity := l.request.Identity

	parameters := maps.Clone(l.request.Parameters)
	if parameters == nil {
		parameters = map[string]string{}
	}

	parameters[v1alpha3.ParameterOwner] = identity.Owner
	parameters[v1alpha3.ParameterClaim] = claim

	if !l.held {
		notBefore := l.clock().Now().Add(-l.allocator.options.AdoptWithin)
		parameters[v1alpha3.ParameterNotBefore] = notBefore.UTC().Format(time.RFC3339)
	}

	return machineops.OperationRequest{
		MachineName:   identity.Name,
		MachineUID:    identity.UID(),
		OperationName: string(v1alpha3.OperationHostAllocate),
		OperationUID:  identity.OperationUID(l.index),
		Operation:     v1alpha3.OperationHostAllocate,
		Parameters:    parameters,
		Allocation: &machineops.AllocationRequest{
			Name:           identity.Name,
			UID:            identity.UID(),
			ClassName:      l.request.Class.Name,
			ClassUID:       identity.ClassUID,
			HostName:       l.request.HostName,
			ProviderConfig: l.request.Class.ProviderConfig,
			Offering:       offering,
			UserData:       l.request.UserData,
		},
	}
}
