// Package machineops lists what the document on resumable machine operations
// exports: every type with its exported fields, every function, method, option
// and constant. A struct without fields here has none that are exported; the
// method "sealed" stands for methods that are not exported.
package machineops

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

type AllocationPlan struct {
	ProviderID string
	HostImage  string
}

type AllocationPlanRequest struct {
	AllocationName string
	AllocationUID  types.UID
	HostName       string
	ProviderConfig ProviderConfig
	Offering       unboundedv1alpha3.MachineClassOffering
}

type AllocationRequest struct {
	Name           string
	UID            types.UID
	ClassName      string
	ClassUID       types.UID
	HostName       string
	ProviderConfig ProviderConfig
	Offering       unboundedv1alpha3.MachineClassOffering
	UserData       string
	OwnedResources []unboundedv1alpha3.ProviderOwnedResource
}

type AllocationResult struct {
	ProviderResourceID string
	InstanceType       string
	Zone               string
	Image              string
	OwnedResources     []unboundedv1alpha3.ProviderOwnedResource
}

type BeginFunc func(context.Context, OperationRequest) (BeginResult, error)

type BeginResult struct {
	Operation    ProviderOperation
	Message      string
	RequeueAfter time.Duration
}

type Capacity struct{}

func (c *Capacity) PlanAllocation(ctx context.Context, request AllocationPlanRequest) (AllocationPlan, error)

func (c *Capacity) ResolveClass(ctx context.Context, request ClassRequest) (ClassResolution, error)

type ClassRequest struct {
	ClassName      string
	ClassUID       types.UID
	SiteName       string
	ProviderConfig ProviderConfig
	Auth           *OperationAuth
}

type ClassResolution struct {
	Offerings []unboundedv1alpha3.MachineClassOffering
}

type CleanupFunc func(context.Context, OperationRequest, OperationResult) error

type ExecuteFunc func(context.Context, OperationRequest) (OperationResult, error)

type Operation struct{}

func (o *Operation) Begin(ctx context.Context, request OperationRequest) (BeginResult, error)

func (o *Operation) Cleanup(ctx context.Context, request OperationRequest, result OperationResult) error

func (o *Operation) Execute(ctx context.Context, request OperationRequest) (OperationResult, error)

func (o *Operation) Mode() OperationMode

func (o *Operation) Poll(ctx context.Context, request OperationRequest, operation ProviderOperation) (PollResult, error)

func (o *Operation) ReplaySafe() bool

func (o *Operation) RequiresReplaceUserData() bool

type OperationAuth struct {
	Mode       unboundedv1alpha3.MachineOperationCredentialAuthMode
	SecretData map[string]string
}

func (a *OperationAuth) RequiredSecretValue(key string) (string, error)

type OperationMode string

const (
	OperationModeImmediate   OperationMode = "Immediate"
	OperationModeLongRunning OperationMode = "LongRunning"
)

type OperationOption interface {
	sealed()
}

func ReplaySafe() OperationOption

func RequiresReplaceUserData() OperationOption

func WithCleanup(cleanup CleanupFunc) OperationOption

type OperationRequest struct {
	MachineName       string
	MachineUID        types.UID
	MachineGeneration int64
	OperationName     string
	OperationUID      types.UID
	ProviderRef       *unboundedv1alpha3.ProviderMachineSnapshot
	ProviderID        string
	HostImage         string
	Operation         unboundedv1alpha3.OperationKind
	Parameters        map[string]string
	ReplaceUserData   string
	Auth              *OperationAuth
	Allocation        *AllocationRequest
}

type OperationResult struct {
	ProviderID        string
	CleanupProviderID string
	Allocation        *AllocationResult
}

// The document shows no fields of PermanentError; these are what its comments and
// methods need.
type PermanentError struct {
	Reason string
	Err    error
}

func (e *PermanentError) Error() string

func (e *PermanentError) Unwrap() error

type PlanAllocationFunc func(context.Context, AllocationPlanRequest) (AllocationPlan, error)

type PollFunc func(context.Context, OperationRequest, ProviderOperation) (PollResult, error)

type PollResult struct {
	State        ProviderOperationState
	Result       OperationResult
	Reason       string
	Message      string
	RequeueAfter time.Duration
}

type Provider struct{}

func NewProvider(name string, options ...ProviderOption) (*Provider, error)

func (p *Provider) Name() string

func (p *Provider) Operation(kind unboundedv1alpha3.OperationKind) (*Operation, bool)

// The document speaks of a registered capacity and of a declared machine kind
// without their lookups; these two follow the one for operations.

func (p *Provider) Capacity() (*Capacity, bool)

func (p *Provider) ProviderMachineKind() (schema.GroupKind, bool)

type ProviderConfig struct {
	Data map[string]string
}

// The document shows no fields of ProviderOperation; its comments name a
// ResumeToken.
type ProviderOperation struct {
	OperationID string
	ResumeToken string
}

type ProviderOperationState string

const (
	ProviderOperationStateInProgress ProviderOperationState = "InProgress"
	ProviderOperationStateSucceeded  ProviderOperationState = "Succeeded"
	ProviderOperationStateFailed     ProviderOperationState = "Failed"
	ProviderOperationStateCanceled   ProviderOperationState = "Canceled"
)

type ProviderOption interface {
	sealed()
}

func WithCapacity(resolveClass ResolveClassFunc, planAllocation PlanAllocationFunc) ProviderOption

func WithImmediateOperation(
	kind unboundedv1alpha3.OperationKind,
	execute ExecuteFunc,
	options ...OperationOption,
) ProviderOption

func WithLongRunningOperation(
	kind unboundedv1alpha3.OperationKind,
	begin BeginFunc,
	poll PollFunc,
	options ...OperationOption,
) ProviderOption

func WithProviderMachineKind(groupKind schema.GroupKind) ProviderOption

type ResolveClassFunc func(context.Context, ClassRequest) (ClassResolution, error)
