package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// findings are what can be told of an operation before it is carried out.
type findings struct {
	// wrong is all that keeps it from being carried out, as errors.
	wrong diag.Diagnostics
	// refused are errors that keep any operation from being carried out.
	refused diag.Diagnostics
	// told is what it meets, as warnings.
	told diag.Diagnostics
	// unseen are the looks that failed and that the apply repeats, as warnings.
	unseen diag.Diagnostics
}

// search is what is searched for findings.
type search struct {
	plan operationModel
	// former is the UID of the operation that it takes the place of; empty where there is
	// none.
	former types.UID
	// begins is set where it is about to be carried out, as which it is examined.
	begins bool
	// looks are shared with others who search at the time.
	looks *planLooks
	// unseen is what follows a look that failed.
	unseen advice
}

// planFindings tells what a plan finds. Nothing is looked at once this run has changed
// something, as which the plan is part of an apply.
func (r *operationResource) planFindings(ctx context.Context, plan operationModel, former types.UID, begins bool) findings {
	if r.client == nil {
		return findings{}
	}

	return r.find(ctx, search{
		plan: plan, former: former, begins: begins && !r.client.applied.Load(), looks: &r.client.planLooks,
		unseen: advice{became: "The apply looks again before it touches the machine, and ends with an error if it cannot.", again: planAgain},
	})
}

// decided reports whether all is known that says how the operation is carried out.
func (m operationModel) decided() bool {
	return !m.Kind.IsUnknown() && !m.KeepUserData.IsUnknown() && fullyKnown(m.Parameters)
}

// find tells what can be seen, as far as it is known. An operation that is about to be
// carried out is examined, too.
func (r *operationResource) find(ctx context.Context, s search) findings {
	var found findings

	machine, err := r.machineOf(s.plan)
	if err != nil {
		found.wrong.AddAttributeError(path.Root("provider_id"), "Malformed provider ID", malformedProviderID(err))
	}

	// Terraform shows one of several warnings of a kind, so what is wrong stands in one.
	var impossible []error

	impossible = append(impossible, s.plan.checkParameters(r.client.cloud))

	if s.begins && machine != "" {
		observed, err := r.examine(ctx, s, machine, &found)
		impossible = append(impossible, err)
		r.findAwaited(s, machine, observed, &found)
	}

	if err := errors.Join(impossible...); err != nil {
		found.wrong.AddAttributeError(path.Root("parameters"), impossibleOperation, sentence(err)+" Correct the parameters; nothing was done to the machine.")
	}

	return found
}

// machineOf is the canonical form of the machine's ID; empty where that is not known, and
// an error where it is none.
func (r *operationResource) machineOf(model operationModel) (string, error) {
	if model.ProviderID.IsUnknown() {
		return "", nil
	}

	id, err := r.client.cloud.Observer().ParseProviderID(model.ProviderID.ValueString(), r.client.region)
	if err != nil {
		return "", err
	}

	return id.String(), nil
}

const impossibleOperation = "The operation cannot be carried out as it is asked for"

// findAwaited tells of the operation that the machine is under. That its run is dead
// cannot be seen, and an operation of this configuration that was cut off is gone on with
// by the apply; so it is only told, and early, as the wait for one that nobody goes on
// with lasts to the timeout.
func (r *operationResource) findAwaited(s search, machine string, observed *driver.ObservedMachine, found *findings) {
	if observed == nil || !s.plan.identified() {
		return
	}

	awaited := r.client.cloud.AwaitedOperation(r.uid(s.plan, machine), observed)

	switch {
	case awaited == "":
	case s.former != "" && r.client.cloud.AwaitedOperation(s.former, observed) == "":
		found.told.AddAttributeWarning(path.Root("provider_id"), "Operation takes the place of one that was interrupted",
			fmt.Sprintf("%s on %s takes the place of %s, which was begun and was not seen to end. It is given up before this one is begun, and not gone on with. "+
				"With create_before_destroy that is not so: this one is begun first, waits for that one until its timeout, and does nothing. "+
				"Put the arguments back as they were then, and apply, which goes on with it; edit them afterwards.", s.plan.what(), machine, awaited))
	default:
		found.told.AddAttributeWarning(path.Root("provider_id"), "Machine is under another operation",
			fmt.Sprintf("%s, which was begun on %s and was not seen to end. The phase of the machine is %s. A run that is at work on that, or an apply of the configuration that holds it, ends it (where that is this one, have this operation depend on it: depends_on). "+
				"If nobody goes on with it, this one waits until its timeout and does nothing: "+resumeAwaited,
				s.plan.waits(awaited), machine, observed.Phase))
	}
}

// waits says which operation this one waits for. Where that has the same name, the
// triggers or parameters were edited, perhaps, which makes it another operation.
func (m operationModel) waits(awaited string) string {
	if begun, same := strings.CutPrefix(awaited, m.what()+" "); same {
		return fmt.Sprintf("The edited %s waits for the one of the same name from before the edit (%s, with other triggers or parameters)", m.what(), begun)
	}

	return fmt.Sprintf("%s waits for %s", m.what(), awaited)
}

// identified reports whether all is known but for the machine that says which operation
// it is.
func (m operationModel) identified() bool {
	return !m.Kind.IsUnknown() && !m.Name.IsUnknown() && fullyKnown(m.Triggers) && fullyKnown(m.Parameters)
}

// uid is the UID of the operation on the machine.
func (r *operationResource) uid(model operationModel, machine string) types.UID {
	return model.request(r.client.owner, machine, r.client.cloud.EffectParameters()).OperationUID()
}

// fullyKnown reports whether the map and all that it holds are known.
func fullyKnown(m basetypes.MapValue) bool {
	if m.IsUnknown() {
		return false
	}

	for _, element := range m.Elements() {
		if element.IsUnknown() {
			return false
		}
	}

	return true
}
