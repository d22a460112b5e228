package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// RecordVersion is the version that Encode writes. DecodeRecord reads it and every
// earlier one. Version 1 had the stages begun and applied only, and no result.
const RecordVersion = 2

// Record is what has to outlive the process: the operation under way and what
// belongs to the allocation. It holds no secret.
type Record struct {
	Version int `json:"version"`
	// Operation is nil where nothing is under way.
	Operation *PendingOperation `json:"operation,omitempty"`
	// OwnedResources are what a release may give back.
	OwnedResources []v1alpha3.ProviderOwnedResource `json:"owned_resources,omitempty"`
	// Claim was read on the machine when it was last found to be ours.
	Claim string `json:"claim,omitempty"`
	// Process is the run that put the machine into state. That another run reads the
	// record proves that the state was stored.
	Process string `json:"process,omitempty"`
	// Account is where the machine is.
	Account string `json:"account,omitempty"`
	// Settled is set once the machine was seen with the mark.
	Settled bool `json:"settled,omitempty"`
	// Incomplete is set while the machine lacks tags that say whose it is.
	Incomplete bool `json:"incomplete,omitempty"`
	// Foreign is set while the machine carries the claim of another run.
	Foreign *ForeignClaim `json:"foreign,omitempty"`
}

// ForeignClaim is what a machine that another run has claimed says of that run.
type ForeignClaim struct {
	ClassUID string `json:"class_uid,omitempty"`
	Settled  bool   `json:"settled,omitempty"`
}

// Stage says how far an operation has come in its record.
type Stage string

// The stages, in the order in which an operation passes them.
const (
	// StageIntended means that the operation is about to begin; whether it did is
	// not known.
	StageIntended Stage = "intended"
	// StageBegun means that the handle is known and the end is not.
	StageBegun Stage = "begun"
	// StageSucceeded means that the result is known and may not be applied yet.
	StageSucceeded Stage = "succeeded"
	// StageApplied means that the result is applied and Cleanup is outstanding.
	StageApplied Stage = "applied"
	// StageComplete means that nothing is outstanding.
	StageComplete Stage = "complete"
	// StageFailed means that the operation ended without its end state.
	StageFailed Stage = "failed"
)

// PendingOperation is the record of an operation under way.
type PendingOperation struct {
	// Provider is the name of the registration that began it.
	Provider     string                 `json:"provider"`
	Kind         v1alpha3.OperationKind `json:"kind"`
	OperationUID types.UID              `json:"operation_uid"`
	// OperationID and ResumeToken are the handle, from StageBegun on; an immediate
	// operation has none.
	OperationID string `json:"operation_id"`
	ResumeToken string `json:"resume_token"`
	// BeganAt is when the operation was first asked for. It serves reports, the
	// stall mark, and telling an older machine; deadlines count from elsewhere.
	BeganAt time.Time `json:"began_at"`
	Stage   Stage     `json:"stage"`
	// Attempts counts the launches of an allocation so far, this one included; it
	// is 1 for every other operation.
	Attempts int `json:"attempts"`
	// Claim is what the machine carries, where that is not its launch's own claim.
	Claim string `json:"claim,omitempty"`
	// Result is known from StageSucceeded on, and of a failed operation what it left
	// behind.
	Result *RecordedResult `json:"result,omitempty"`
	// Reason and Message say why the operation failed.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// RecordedResult is an operation's result as it is stored.
type RecordedResult struct {
	ProviderID        string                                     `json:"provider_id,omitempty"`
	CleanupProviderID string                                     `json:"cleanup_provider_id,omitempty"`
	Allocation        *v1alpha3.MachineOperationAllocationResult `json:"allocation,omitempty"`
}

func recordResult(result machineops.OperationResult) *RecordedResult {
	recorded := &RecordedResult{ProviderID: result.ProviderID, CleanupProviderID: result.CleanupProviderID}
	if result.Allocation != nil {
		allocation := v1alpha3.MachineOperationAllocationResult(*result.Allocation)
		recorded.Allocation = &allocation
	}

	return recorded
}

func (r *RecordedResult) result() machineops.OperationResult {
	if r == nil {
		return machineops.OperationResult{}
	}

	result := machineops.OperationResult{ProviderID: r.ProviderID, CleanupProviderID: r.CleanupProviderID}
	if r.Allocation != nil {
		allocation := machineops.AllocationResult(*r.Allocation)
		result.Allocation = &allocation
	}

	return result
}

func (p *PendingOperation) handle() machineops.ProviderOperation {
	return machineops.ProviderOperation{OperationID: p.OperationID, ResumeToken: p.ResumeToken}
}

// check returns an error that says what of the record cannot be acted on.
func (p *PendingOperation) check() error {
	if p.Provider == "" || p.Kind == "" || p.OperationUID == "" {
		return errors.New("it does not say which operation of which provider it is about")
	}

	switch p.Stage {
	case StageBegun:
		if p.handle() == (machineops.ProviderOperation{}) {
			return errors.New("the operation has begun, and its handle is missing")
		}
	case StageIntended, StageSucceeded, StageApplied, StageComplete, StageFailed:
	default:
		return fmt.Errorf("the stage %q is unknown", p.Stage)
	}

	return nil
}

// Encode returns the record as JSON.
func (r Record) Encode() ([]byte, error) {
	r.Version = RecordVersion

	encoded, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding the resume record: %w", err)
	}

	return encoded, nil
}

// DecodeRecord reads a record that this or an earlier version wrote. Empty input
// is an empty record. A record of a later version, and one that cannot be acted
// on, is an error, since acting on half of it could lose a machine.
func DecodeRecord(encoded []byte) (Record, error) {
	if len(encoded) == 0 {
		return Record{Version: RecordVersion}, nil
	}

	// The version comes first: a later version may have given a field another form.
	var written struct {
		Version int `json:"version"`
	}

	if err := json.Unmarshal(encoded, &written); err != nil {
		return Record{}, fmt.Errorf("reading the resume record: %w", err)
	}

	if written.Version < 1 || written.Version > RecordVersion {
		return Record{}, fmt.Errorf("the resume record has version %d, and this provider reads versions 1 to %d",
			written.Version, RecordVersion)
	}

	var record Record
	if err := json.Unmarshal(encoded, &record); err != nil {
		return Record{}, fmt.Errorf("reading the resume record: %w", err)
	}

	if record.Operation != nil {
		if err := record.Operation.check(); err != nil {
			return Record{}, fmt.Errorf("reading the resume record: %w", err)
		}
	}

	return record, nil
}

// Recorder persists what is known of an operation, as soon as it is known. It is
// called at every stage, from one goroutine; what it records last is what Run may
// be handed again. A recorder is called once more after its context's parent was
// cancelled, to keep what was just learned, and has a second for that.
type Recorder interface {
	RecordOperation(ctx context.Context, operation PendingOperation) error
}

// RecorderFunc is a function as a Recorder.
type RecorderFunc func(ctx context.Context, operation PendingOperation) error

// RecordOperation calls f.
func (f RecorderFunc) RecordOperation(ctx context.Context, operation PendingOperation) error {
	return f(ctx, operation)
}
