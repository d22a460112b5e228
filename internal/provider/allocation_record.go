package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// recordKey is the key of the resume record in private state.
const recordKey = "record"

// privateReader and privateWriter are what the framework's requests and responses
// give of private state.
type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func readRecord(ctx context.Context, private privateReader, diagnostics *diag.Diagnostics) lifecycle.Record {
	encoded, diags := private.GetKey(ctx, recordKey)
	diagnostics.Append(diags...)

	record, err := lifecycle.DecodeRecord(encoded)
	if err != nil {
		diagnostics.AddError("Cannot read the resume record", unreadable("machine", err))
	}

	return record
}

func writeRecord(ctx context.Context, private privateWriter, record lifecycle.Record, diagnostics *diag.Diagnostics) {
	encoded, err := record.Encode()
	if err != nil {
		diagnostics.AddError("Cannot write the resume record", ownFault(err, "The machine is kept in state; what was under way on it is not."))

		return
	}

	diagnostics.Append(private.SetKey(ctx, recordKey, encoded)...)
}

// recordedAccount is the account in the record, empty where there is none that can be
// read: a release goes by the state.
func recordedAccount(ctx context.Context, private privateReader) string {
	encoded, diagnostics := private.GetKey(ctx, recordKey)
	if diagnostics.HasError() {
		return ""
	}

	record, err := lifecycle.DecodeRecord(encoded)
	if err != nil {
		return ""
	}

	return record.Account
}
