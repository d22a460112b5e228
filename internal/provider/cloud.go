package provider

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// Cloud is one connected cloud.
type Cloud interface {
	// Registration is how its machines are allocated and released.
	Registration() *machineops.Provider
	// Observer looks at its machines.
	Observer() driver.Observer
	// Driver does to them what a machine controller asks for.
	Driver() driver.Driver
	// Tagger writes their tags.
	Tagger() driver.Tagger
	// Editor changes in place what they are.
	Editor() driver.Editor
	// Lister lists them.
	Lister() driver.Lister
	// Marker writes their marks.
	Marker() driver.Marker
	// OfferingLister tells what a class can get.
	OfferingLister() driver.OfferingLister
	// DiskLister tells what disks its machines have.
	DiskLister() driver.DiskLister
	// Accountant tells whose credentials they are.
	Accountant() driver.Accountant
	// Handle returns the handle by which the allocation of a machine that is already
	// there is polled.
	Handle(id driver.ProviderID) (machineops.ProviderOperation, error)
	// CheckOperation says what is wrong with the parameters that a user gives for an
	// operation on a machine, as far as that can be told without a call. The undecided
	// ones have no value yet, and may turn out not to be given.
	CheckOperation(request machineops.OperationRequest, undecided ...string) error
	// ExamineOperation says why an operation on the machine can never be what it is asked
	// for, as far as looks tell that leave the machine alone: a
	// *machineops.PermanentError. Any other error is a look that failed.
	ExamineOperation(ctx context.Context, request machineops.OperationRequest, machine *driver.ObservedMachine) error
	// AwaitedOperation is what a user calls the operation that the machine is under, and
	// that the one of this UID would wait for; it is empty where there is none, or it is
	// that one itself.
	AwaitedOperation(operationUID types.UID, machine *driver.ObservedMachine) string
	// OperationDone tells, in sentences, what of an operation that has not ended was done
	// to its machine. It is empty where the machine does not tell of the operation, or there
	// is nothing to tell. A request of an allocation's (v1alpha3.ParameterOfAllocation) is
	// about whichever change in place was cut off.
	OperationDone(ctx context.Context, request machineops.OperationRequest) (string, error)
	// EffectParameters are the parameters with another value of which an operation is
	// another one.
	EffectParameters() []string
	// ConsoleOutput returns the end of what the machine wrote to its console.
	ConsoleOutput(ctx context.Context, secret *corev1.Secret, providerID string) (string, error)
	// Secret returns credentials as driver requests carry them.
	Secret(auth *machineops.OperationAuth) *corev1.Secret
}

// AlicloudConnector is how the provider reaches Alibaba Cloud without knowing the
// package that does it. main fills it in.
type AlicloudConnector struct {
	// Complete fills what the configuration left open from the environment. Arguments
	// are those of Auth.
	Complete func(settings driver.Settings, arguments map[string]string) driver.Settings
	// Auth makes operation credentials of what the configuration holds, under the keys
	// of a credentials secret; no arguments mean the environment's. What is given in
	// part is an error. It makes no call.
	Auth func(settings driver.Settings, arguments map[string]string) (*machineops.OperationAuth, error)
	// Connect returns the cloud. It makes no call.
	Connect func(driver.Settings) (Cloud, error)
}
