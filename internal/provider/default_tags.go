package provider

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// defaultTagsKey is the key in private state of the provider's default tags that the
// machine was given: a change of them shows by that.
const defaultTagsKey = "default_tags"

// readDefaultTags returns the default tags that the machine was given; none where the
// state is of a provider that had none.
func readDefaultTags(ctx context.Context, private privateReader, diagnostics *diag.Diagnostics) map[string]string {
	encoded, diags := private.GetKey(ctx, defaultTagsKey)
	diagnostics.Append(diags...)

	if len(encoded) == 0 {
		return nil
	}

	tags := map[string]string{}
	if err := json.Unmarshal(encoded, &tags); err != nil {
		diagnostics.AddError("Cannot read the default tags of the machine",
			unreadable("machine", err))
	}

	return tags
}

// writeDefaultTags notes the default tags that the machine was given.
func writeDefaultTags(ctx context.Context, private privateWriter, tags map[string]string, diagnostics *diag.Diagnostics) {
	if tags == nil {
		tags = map[string]string{}
	}

	encoded, err := json.Marshal(tags)
	if err != nil {
		diagnostics.AddError("Cannot write the default tags of the machine", ownFault(err, "The machine is kept in state."))

		return
	}

	diagnostics.Append(private.SetKey(ctx, defaultTagsKey, encoded)...)
}

// tagged is a machine of a model and the provider's default tags.
type tagged struct {
	model    allocationModel
	defaults map[string]string
}

// tags are those that the machine is to have: the provider's, the class's over them, and
// over all the allocation's.
func (t tagged) tags() map[string]string {
	tags := map[string]string{}
	maps.Copy(tags, t.defaults)
	maps.Copy(tags, t.model.wantedTags())

	return tags
}

// defaultTags are those that the provider gives now; none before it is configured.
func (r *allocationResource) defaultTags() map[string]string {
	if r.client == nil {
		return nil
	}

	return r.client.defaultTags
}
