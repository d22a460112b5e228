package provider

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/types"
)

// plannedOperations notes which operations one run plans, since two resources of one
// operation would carry it out twice. It is safe for concurrent use, and the zero value is
// ready to use.
type plannedOperations struct {
	mu sync.Mutex
	// stages are how the operations were planned.
	stages map[types.UID]plannedStage
}

// plannedStage is what a plan does with an operation.
type plannedStage struct {
	// created is set for one that is in no state yet, begins for one that is about to be
	// carried out.
	created, begins bool
}

// add returns how another resource plans the operation, if one does.
func (p *plannedOperations) add(operation types.UID, stage plannedStage) (plannedStage, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.stages == nil {
		p.stages = map[types.UID]plannedStage{}
	}

	other, there := p.stages[operation]
	if !there {
		p.stages[operation] = stage
	}

	return other, there
}

// reserve tells where another resource of the configuration is the same operation. Where
// one of them is in no state yet, that is an error; where both were carried out before,
// none may keep a destroy from going through. What is not known yet is told when it is
// applied, before the machine is touched. It is called once for each resource of a plan.
func (r *operationResource) reserve(plan operationModel, stage plannedStage) diag.Diagnostics {
	if r.client == nil || !plan.identified() {
		return nil
	}

	machine, err := r.machineOf(plan)
	if err != nil || machine == "" {
		return nil
	}

	other, taken := r.client.operations.add(r.uid(plan, machine), stage)

	const summary = "Two operations of one name"

	same := fmt.Sprintf("Two machine_operation resources of this configuration are the same operation: %s on %s, with the same triggers and parameters.", plan.what(), machine)

	const next = "Give each a name of its own (put the for_each key or the count index into it), or triggers of its own, or remove one of them."

	var told diag.Diagnostics

	switch {
	case !taken:
	case stage.created:
		told.AddAttributeError(path.Root("name"), summary, same+" It would be carried out twice. "+next+" Nothing was done to the machine for this one.")
	case other.created:
		told.AddAttributeError(path.Root("name"), summary, same+" This one is in state already; the other one, which is new, would carry it out a second time. "+next)
	case stage.begins || other.begins:
		told.AddAttributeWarning(path.Root("name"), summary, same+" Both are in state, and what is changed in both is carried out twice. "+next)
	}

	return told
}

// replaces reports whether a plan that sees no prior state is the second half of a
// replacement, which was reserved by the first: only that sees the record of what is
// replaced.
func replaces(ctx context.Context, private privateReader) bool {
	encoded, _ := private.GetKey(ctx, recordKey)

	return len(encoded) > 0
}
