package provider

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// importKey marks, in private state, a machine that was imported or moved here and
// that no update has given our tags yet.
const importKey = "import"

// importRecord is what is known of such a machine.
type importRecord struct {
	// Read is set once a Read has seen the machine; what it found is in the state.
	Read bool `json:"read,omitempty"`
	// Tags are the keys of the machine's own tags.
	Tags []string `json:"tags,omitempty"`
}

// readImport returns the record, nil where the machine is ours by now.
func readImport(ctx context.Context, private privateReader, model allocationModel, diagnostics *diag.Diagnostics) *importRecord {
	encoded, diags := private.GetKey(ctx, importKey)
	diagnostics.Append(diags...)

	if len(encoded) == 0 {
		switch {
		case diags.HasError():
			return nil
		case model.Class.IsNull():
			// What an earlier version imported and read carries no mark, and has no class.
			return &importRecord{Read: !model.Claim.IsNull()}
		case model.showsImportedClass() && !hasRecord(ctx, private):
			// A provider that died in the first update took its private data with it.
			return &importRecord{Read: true}
		default:
			return nil
		}
	}

	record := &importRecord{}

	// An earlier version wrote nothing but true.
	if string(encoded) == "true" {
		return record
	}

	if err := json.Unmarshal(encoded, record); err != nil {
		diagnostics.AddError("Cannot read the record of the import", unreadable("machine", err))
	}

	return record
}

// writeImport writes the record; nil takes it away.
func writeImport(ctx context.Context, private privateWriter, record *importRecord, diagnostics *diag.Diagnostics) {
	if record == nil {
		diagnostics.Append(private.SetKey(ctx, importKey, nil)...)

		return
	}

	encoded, err := json.Marshal(record)
	if err != nil {
		diagnostics.AddError("Cannot write the record of the import", ownFault(err, "The machine is untouched."))

		return
	}

	diagnostics.Append(private.SetKey(ctx, importKey, encoded)...)
}

// tagsTogether counts the tags that the machine has with those that are wanted and
// with room for the provider's own.
func (r *importRecord) tagsTogether(wanted map[string]string) int {
	keys := map[string]struct{}{}

	for _, key := range slices.Concat(r.Tags, slices.Collect(maps.Keys(wanted))) {
		keys[key] = struct{}{}
	}

	return len(keys) + reservedTags
}

// showsImportedClass reports whether the class is the one that an imported machine is
// shown with.
func (m allocationModel) showsImportedClass() bool {
	class, known := m.classModel()

	return known && class.Name.ValueString() == importedClassName
}

// hasRecord reports whether there is private data of a machine at all.
func hasRecord(ctx context.Context, private privateReader) bool {
	encoded, diagnostics := private.GetKey(ctx, recordKey)

	return len(encoded) > 0 || diagnostics.HasError()
}
