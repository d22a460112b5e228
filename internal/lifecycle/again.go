package lifecycle

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// askAgain reports whether the offerings that were refused are to be asked for once
// more. A token answers a refusal for as long as the cloud keeps it, however much
// there is by then; so what was refused under an index that an earlier process may
// have used says little. It is asked for again under one that none has used, as soon
// as nothing depends on the order of the indexes any more; see skipSpent.
func (l *launch) askAgain(ctx context.Context) (bool, error) {
	if l.again || !slices.ContainsFunc(l.allocated.Attempts, l.doubts) {
		return false, nil
	}

	l.again = true
	windowEnd := l.allocator.WindowEnd()

	if cause := wait(ctx, l.clock(), windowEnd.Sub(l.clock().Now())); cause != nil {
		refused := &ExhaustedError{Class: l.request.Class.Name, Attempts: l.allocated.Attempts}

		return false, &UnfinishedError{Cause: cause, LastState: refused.Error()}
	}

	if l.around.lookFrom.Before(windowEnd) {
		l.around.lookAgain(windowEnd)
	}

	return l.skip(), nil
}

// awaitGivenUp asks for one more look before nothing is left to be asked for: what was
// given up since it was not listed may only be late.
func (l *launch) awaitGivenUp(ctx context.Context) (bool, error) {
	windowEnd := l.around.windowEnd()
	if len(l.gaveUp) == 0 || !l.around.lookFrom.Before(windowEnd) {
		return false, nil
	}

	if cause := wait(ctx, l.clock(), windowEnd.Sub(l.clock().Now())); cause != nil {
		refused := &ExhaustedError{Class: l.request.Class.Name, Attempts: l.allocated.Attempts}

		return false, &UnfinishedError{Cause: cause, LastState: refused.Error()}
	}

	l.around.lookAgain(windowEnd)

	return true, nil
}

// skipSpent leaves out the launches of predecessors that nothing is known of: asked
// one by one, they would bring up old answers, one window each. That is safe once a
// look has shown everything that earlier processes can have launched. Before, the
// index is what leads to the machine of a process that was just killed. It reports
// true where refusals turned out to be old answers as well.
func (l *launch) skipSpent() bool {
	if l.skipped || l.around.lookFrom.Before(l.allocator.WindowEnd()) {
		return false
	}

	return l.skip()
}

// skip goes on at an index that no earlier process has used, and takes the refusals
// back that may be old answers. It reports whether there were any.
func (l *launch) skip() bool {
	before := len(l.allocated.Attempts)

	l.skipped = true
	l.index = max(l.index, EpochIndex(l.clock().Now()))
	l.allocated.Attempts = slices.DeleteFunc(l.allocated.Attempts, func(attempt Attempt) bool {
		if !l.doubts(attempt) {
			return false
		}

		l.allocator.forgetRefusal(refusedKey(l.request.Class, attempt.Offering, attempt.Reason))
		delete(l.tried, candidateOf(attempt.Offering))

		return true
	})

	return len(l.allocated.Attempts) < before
}

// doubts reports whether an attempt was a refusal that may be an old answer.
func (l *launch) doubts(attempt Attempt) bool {
	switch attempt.Reason {
	case v1alpha3.ReasonInsufficientCapacity, v1alpha3.ReasonTermsNotOffered, v1alpha3.ReasonNetworkFull:
		return !l.allocator.isConfirmed(refusedKey(l.request.Class, attempt.Offering, attempt.Reason))
	default:
		return false
	}
}

// isConfirmed reports whether a refusal is known to be no old answer.
func (a *Allocator) isConfirmed(key refusalKey) bool {
	a.mu.Lock()
	defer a.mu.Unlock()

	confirmed, ok := a.confirmed[key]

	return ok && a.runner.Clock.Since(confirmed) < refusalMemory
}

// confirmRefusal notes that a launch was refused that no earlier process can have
// asked for.
func (a *Allocator) confirmRefusal(key refusalKey) {
	a.mu.Lock()
	defer a.mu.Unlock()

	if a.confirmed == nil {
		a.confirmed = map[refusalKey]time.Time{}
	}

	a.confirmed[key] = a.runner.Clock.Now()
}

// forgetRefusal takes a refusal back.
func (a *Allocator) forgetRefusal(key refusalKey) {
	a.mu.Lock()
	defer a.mu.Unlock()

	delete(a.refusals, key)
}
