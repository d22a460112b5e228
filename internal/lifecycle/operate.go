package lifecycle

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// Operator carries out operations on hosts, other than to allocate and to release
// them. It is safe for concurrent use.
type Operator struct{ runner *Runner }

// NewOperator returns an operator. One that shares its runner with an Allocator takes
// turns with it at each host.
func NewOperator(runner *Runner) *Operator { return &Operator{runner: runner} }

// OperateRequest is one operation on one host.
type OperateRequest struct {
	// Owner, Name, ProviderID, Kind and Triggers say which operation it is: the same ones
	// are the same operation, in whatever process, and have their effect once.
	Owner      string
	Name       string
	ProviderID string
	Kind       v1alpha3.OperationKind
	Triggers   map[string]string
	// Parameters say how it is carried out.
	Parameters map[string]string
	// ReplaceUserData is first-boot data, and as secret as that of an allocation.
	ReplaceUserData string
	Pending         *PendingOperation
	Recorder        Recorder
	// Repeatable is for operations that have their effect again whenever they are asked
	// for again. No trace of their end is kept, and none has to be forgotten.
	Repeatable bool
}

// OperationUID is the same whenever the same operation is asked for, so that a run
// that was killed before anything was stored is gone on with.
func (r OperateRequest) OperationUID() types.UID {
	parts := []string{"operation", r.Owner, r.ProviderID, string(r.Kind), r.Name}

	for _, key := range slices.Sorted(maps.Keys(r.Triggers)) {
		parts = append(parts, key, r.Triggers[key])
	}

	return types.UID(digest(parts...))
}

func (r OperateRequest) request() machineops.OperationRequest {
	return machineops.OperationRequest{
		MachineName:     r.ProviderID,
		OperationName:   r.Name,
		OperationUID:    r.OperationUID(),
		ProviderID:      r.ProviderID,
		Operation:       r.Kind,
		Parameters:      maps.Clone(r.Parameters),
		ReplaceUserData: r.ReplaceUserData,
	}
}

// Operate carries the operation out, or takes up Pending, and returns when its end
// state was observed. Operations on one host wait for each other in the order in which
// they were asked for, and for those of other processes.
//
// The error is nil exactly when the operation is complete; otherwise it is a
// *FailedError, or an *UnfinishedError whose outcome can be taken up again.
func (o *Operator) Operate(ctx context.Context, request OperateRequest) (Outcome, error) {
	asked := request.request()
	if request.Repeatable {
		asked.Parameters = with(asked.Parameters, v1alpha3.ParameterRepeatable, "true")
	}

	return o.runner.Run(ctx, Run{Request: asked, Pending: request.Pending, Recorder: request.Recorder, CleanupLater: true})
}

// Forget takes the trace of an operation off its host: of the carrying out that
// operationID names, and where it is empty, whichever it was. It returns nil where
// there is none, and where the host is gone.
func (o *Operator) Forget(ctx context.Context, request OperateRequest, operationID string) error {
	return o.forget(ctx, request.request(), operationID)
}

// GiveUp is Forget for an operation that has not ended and that nobody goes on with: a
// host that ran, and was stopped for it, is started again. An error of
// v1alpha3.ReasonNotStarted says that it could not be. Its trace stays then, or, where it
// may be left stopped, makes way for a mark that tells of that.
func (o *Operator) GiveUp(ctx context.Context, request OperateRequest, operationID string, leaveStopped bool) error {
	asked := request.request()
	asked.Parameters = with(asked.Parameters, v1alpha3.ParameterGivenUp, "true")

	if leaveStopped {
		asked.Parameters = with(asked.Parameters, v1alpha3.ParameterLeaveStopped, "true")
	}

	return o.forget(ctx, asked, operationID)
}

func (o *Operator) forget(ctx context.Context, asked machineops.OperationRequest, operationID string) error {
	if operationID != "" {
		asked.Parameters = with(asked.Parameters, v1alpha3.ParameterOperationID, operationID)
	}

	outcome, err := o.runner.Run(ctx, Run{
		Request: asked,
		Pending: &PendingOperation{
			Provider: o.runner.Registration.Name(), Kind: asked.Operation, OperationUID: asked.OperationUID, OperationID: operationID,
			BeganAt: o.runner.Clock.Now().UTC(), Stage: StageApplied, Result: &RecordedResult{ProviderID: asked.ProviderID}, Attempts: 1,
		},
	})
	if err != nil {
		return err
	}

	return outcome.CleanupError
}

// with returns the parameters with one more.
func with(parameters map[string]string, name, value string) map[string]string {
	if parameters == nil {
		parameters = map[string]string{}
	}

	parameters[name] = value

	return parameters
}
