package lifecycle

import (
	"context"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// probeWait is the longest that a launch waits for the answer to another one, which
	// takes some seconds. An answer that takes longer says nothing of capacity.
	probeWait = 6 * time.Second
	// acceptedMemory is how long an accepted launch speaks for those after it.
	acceptedMemory = time.Minute
)

// probe is the first launch from an offering. Until it is answered the others wait,
// so that ten machines that are launched at a time do not all ask for what the first
// one is refused. Once it is accepted nobody waits any more.
type probe struct {
	answered chan struct{}
}

// enterProbe returns nil where the offering may be asked for at once, and true where
// the caller has to endProbe then; otherwise what to wait for before asking again.
func (a *Allocator) enterProbe(offering v1alpha3.MachineClassOffering) (<-chan struct{}, bool) {
	key, now := keyOf(offering), a.runner.Clock.Now()

	a.mu.Lock()
	defer a.mu.Unlock()

	if at, ok := a.accepted[key]; ok && now.Sub(at) < acceptedMemory {
		return nil, false
	}

	if running, ok := a.probes[key]; ok {
		return running.answered, false
	}

	a.probes[key] = &probe{answered: make(chan struct{})}

	return nil, true
}

// noteAccepted notes that a launch from the offering was accepted.
func (a *Allocator) noteAccepted(offering v1alpha3.MachineClassOffering) {
	key, now := keyOf(offering), a.runner.Clock.Now()

	a.mu.Lock()
	defer a.mu.Unlock()

	a.accepted[key] = now
	a.releaseProbe(key)
}

// endProbe lets those go who wait for the caller's probe of the offering. Doing so
// twice changes nothing that matters: at worst somebody asks a moment too early.
func (a *Allocator) endProbe(offering v1alpha3.MachineClassOffering) {
	a.mu.Lock()
	defer a.mu.Unlock()

	a.releaseProbe(keyOf(offering))
}

// releaseProbe is called with the lock held.
func (a *Allocator) releaseProbe(key refusalKey) {
	if running, ok := a.probes[key]; ok {
		close(running.answered)
		delete(a.probes, key)
	}
}

// awaitProbe waits for the answer to another launch. It reports false where that took
// too long to be waited for.
func (a *Allocator) awaitProbe(ctx context.Context, answered <-chan struct{}) (bool, error) {
	timer := a.runner.Clock.NewTimer(probeWait)
	defer timer.Stop()

	select {
	case <-ctx.Done():
		return false, &UnfinishedError{Cause: ended(ctx)}
	case <-answered:
		return true, nil
	case <-timer.C():
		return false, nil
	}
}
