package provider

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// classRecordKey is the key of the class's record in private state.
const classRecordKey = "class"

// classRecordVersion is the version that is written; earlier ones are read as well.
const classRecordVersion = 1

// classRecord is what the destruction of a class has to know.
type classRecord struct {
	Version int `json:"version"`
	// Regions are all that the class was ever in.
	Regions []string `json:"regions,omitempty"`
	// Account is where the announced machines are.
	Account string `json:"account,omitempty"`
	// Announced are the machines that the plan found to be left over.
	Announced []string `json:"announced,omitempty"`
	// Unproven says why the plan announced none.
	Unproven string `json:"unproven,omitempty"`
}

func readClassRecord(ctx context.Context, private privateReader, diagnostics *diag.Diagnostics) classRecord {
	var record classRecord

	encoded, diags := private.GetKey(ctx, classRecordKey)
	diagnostics.Append(diags...)

	if len(encoded) == 0 {
		return record
	}

	if err := json.Unmarshal(encoded, &record); err != nil {
		diagnostics.AddError("Cannot read the class's record", unreadable("class", err))

		return record
	}

	if record.Version < 1 || record.Version > classRecordVersion {
		diagnostics.AddError("Cannot read the class's record",
			fmt.Sprintf("The class's private state has version %d, and this provider reads versions 1 to %d: use the provider version that wrote it, or a later one.", record.Version, classRecordVersion))
	}

	return record
}

func writeClassRecord(ctx context.Context, private privateWriter, record classRecord, diagnostics *diag.Diagnostics) {
	record.Version = classRecordVersion

	encoded, err := json.Marshal(record)
	if err != nil {
		diagnostics.AddError("Cannot write the class's record", ownFault(err, "The class is kept in state."))

		return
	}

	diagnostics.Append(private.SetKey(ctx, classRecordKey, encoded)...)
}
