package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// checkPlanned looks up what a new or changed class names while nothing is changed
// yet: an apply destroys the machines that a change replaces before it comes to
// launch their successors, and must not find out only then that there can be none.
// What is not known yet is looked up when the class is applied.
func (r *classResource) checkPlanned(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var planned, known classModel

	resp.Diagnostics.Append(resp.Plan.Get(ctx, &planned)...)

	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &known)...)
	}

	if resp.Diagnostics.HasError() || planned.Alicloud.Equal(known.Alicloud) {
		return
	}

	class, err := planned.class()
	if err != nil {
		return // Some part is not known before apply.
	}

	ctx, cancel := context.WithTimeout(ctx, resolution)
	defer cancel()

	_, err = r.client.classes.Resolve(ctx, class)

	switch {
	case err == nil:
		r.doubtExclusions(ctx, planned, class, resp)
	case reasonOf(err) != "" && req.State.Raw.IsNull():
		resp.Diagnostics.Append(classDiagnostic(planned.Name.ValueString(), err, advice{again: runAgain}))
	case reasonOf(err) != "":
		// A destroy makes such a plan first, and has to be possible. The machines of the class
		// are kept until it is right, and applying it is the error.
		r.client.unresolved.add(planned.UID.ValueString())
		resp.Diagnostics.AddWarning(fmt.Sprintf("The class %q cannot be resolved", planned.Name.ValueString()),
			withRemedy(err, advice{otherwise: "Correct the configuration.", after: "Applying ends with this error. The machines of the class stay as they are until it is right."}))
	default:
		resp.Diagnostics.AddWarning(fmt.Sprintf("The class %q could not be checked", planned.Name.ValueString()),
			withRemedy(err, advice{became: "What the class names is looked up again when it is applied."}))
	}
}

// doubtExclusions warns of what is left out and is not there: a family that is
// misspelled is launched like any other. That it could not be looked up says nothing.
func (r *classResource) doubtExclusions(ctx context.Context, planned classModel, class lifecycle.Class, resp *resource.ModifyPlanResponse) {
	unknown, err := r.client.unknownExclusions(ctx, class)
	if err != nil || len(unknown) == 0 {
		return
	}

	resp.Diagnostics.AddWarning(fmt.Sprintf("The class %q leaves out what there is not", planned.Name.ValueString()),
		fmt.Sprintf("In %s there is no %s. What is misspelled is not left out: correct it, or remove what is no longer sold.", planned.region().ValueString(), strings.Join(unknown, ", no ")))
}
