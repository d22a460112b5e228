package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var _ resource.ResourceWithImportState = (*classResource)(nil)

// ImportState implements resource.ResourceWithImportState: there is nothing that a
// class could be imported from, and that is said.
func (r *classResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("A machine_class cannot be imported",
		"A class lives in the state alone; the cloud knows nothing of it. Declare it and apply, which creates nothing in the cloud. "+
			"Where the state of a class was lost and its machines are still there: set uid to the value of their tag terraform-machine/class-uid before you apply, then import the machines themselves.")
}
