package bench

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// naive is the cloud without anything shared: there are no lists, and each look at a
// machine is a call of its own. It stands for what providers commonly do.
type naive struct {
	*alicloud.Cloud

	settings driver.Settings
}

func newNaive(settings driver.Settings) (*naive, error) {
	cloud, err := alicloud.New(settings)
	if err != nil {
		return nil, err
	}

	return &naive{Cloud: cloud, settings: settings}, nil
}

// Observer implements provider.Cloud.
func (n *naive) Observer() driver.Observer {
	return naiveObserver{Observer: n.Cloud.Observer(), settings: n.settings}
}

// Lister implements provider.Cloud.
func (n *naive) Lister() driver.Lister { return naiveLister{} }

// Registration implements provider.Cloud.
func (n *naive) Registration() *machineops.Provider { return n.Cloud.Registration() }

// Secret implements provider.Cloud.
func (n *naive) Secret(auth *machineops.OperationAuth) *corev1.Secret { return n.Cloud.Secret(auth) }

type naiveObserver struct {
	driver.Observer

	settings driver.Settings
}

// ObserveMachine looks through a client that nobody else has, so that no call is
// shared.
func (o naiveObserver) ObserveMachine(ctx context.Context, req *driver.ObserveMachineRequest) (*driver.ObservedMachine, error) {
	cloud, err := alicloud.New(o.settings)
	if err != nil {
		return nil, err
	}

	return cloud.Observer().ObserveMachine(ctx, req)
}

type naiveLister struct{}

var errNaive = errors.New("the naive mode lists nothing")

// ListOwnedMachines lists nothing, so that machines are looked at one by one.
func (naiveLister) ListOwnedMachines(context.Context, *driver.ListOwnedMachinesRequest) ([]*driver.ObservedMachine, error) {
	return nil, errNaive
}

// ListAllMachines lists nothing, so that machines are looked at one by one.
func (naiveLister) ListAllMachines(context.Context, *driver.ListAllMachinesRequest) ([]*driver.ObservedMachine, error) {
	return nil, errNaive
}
