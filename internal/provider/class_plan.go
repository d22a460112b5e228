package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
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
	case reasonOf(err) != "" && req.State.Raw.IsNull():
		resp.Diagnostics.Append(classDiagnostic(planned.Name.ValueString(), err))
	case reasonOf(err) != "":
		// A destroy makes such a plan first, and has to be possible. The machines of the class
		// are kept until it is right, and applying it is the error.
		resp.Diagnostics.AddWarning(fmt.Sprintf("The class %q cannot be resolved", planned.Name.ValueString()),
			withRemedy(err, "Correct the configuration.")+"\n\nApplying ends with this error. The machines of the class stay as they are until it is right.")
	default:
		resp.Diagnostics.AddWarning(fmt.Sprintf("The class %q could not be checked", planned.Name.ValueString()),
			cause(err)+".\n\nWhat the class names is looked up again when it is applied.")
	}
}
