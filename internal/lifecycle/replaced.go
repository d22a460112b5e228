package lifecycle

import (
	"context"
	"errors"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// markReplaced marks the machine beside which a successor is launched, since nothing
// else tells a later run of it: where the launch is cut off, no state holds the
// successor, and the later run may want none, and so looks for none.
func (l *launch) markReplaced(ctx context.Context) {
	if safeguard.Missing(safeguard.Replacing) {
		return
	}

	for _, neighbor := range l.allocated.Neighbors {
		machine := neighbor.Machine

		if neighbor.Relation != RelationSettled || machine.ClassUID != string(l.request.Identity.ClassUID) ||
			slices.Contains(l.around.replaced, machine.ProviderID) || ctx.Err() != nil {
			continue
		}

		l.around.replaced = append(l.around.replaced, machine.ProviderID)
		l.allocator.machines.Replacing(ctx, machine.ProviderID, true)
	}
}

// unmarkReplaced takes the mark off where it is certain that no successor is there, so
// that nobody waits for one. Where one is, the machine is released next, or the next
// run takes the mark off.
func (l *launch) unmarkReplaced(ctx context.Context, err error) {
	var unfinished *UnfinishedError

	if err == nil || l.allocated.ProviderID != "" || errors.As(err, &unfinished) {
		return
	}

	for _, machine := range l.around.replaced {
		if ctx.Err() == nil {
			l.allocator.machines.Replacing(ctx, machine, false)
		}
	}
}
