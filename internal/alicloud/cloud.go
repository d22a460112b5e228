package alicloud

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// Cloud is Alibaba Cloud under one set of settings: the driver and the machineops
// registration, over the same sessions.
type Cloud struct {
	plugin       *MachinePlugin
	resolver     *resolver
	disks        *diskLists
	registration *machineops.Provider
	operations   *registration
	// replacements are the images that were found for new system disks.
	replacements *answers[ecs.Image]
}

// New returns the cloud for the settings. It makes no call.
func New(settings driver.Settings) (*Cloud, error) {
	if settings.Clock == nil {
		settings.Clock = clock.RealClock{}
	}

	plugin := &MachinePlugin{SPI: newSessions(settings), looks: &justSeen{clock: settings.Clock}}
	resolver := newResolver(plugin, settings.Clock, settings.Logger)

	operations, registration, err := newRegistration(plugin, resolver, settings)
	if err != nil {
		return nil, fmt.Errorf("registering %s: %w", ProviderAlicloud, err)
	}

	return &Cloud{
		plugin: plugin, resolver: resolver, disks: newDiskLists(plugin, settings.Clock), registration: registration, operations: operations,
		replacements: newAnswers[ecs.Image](settings.Clock, referenceLifetime),
	}, nil
}

// Registration returns the machineops registration.
func (c *Cloud) Registration() *machineops.Provider { return c.registration }

// Observer returns the driver's view of machines.
func (c *Cloud) Observer() driver.Observer { return c.plugin }

// Driver returns the driver.
func (c *Cloud) Driver() driver.Driver { return c.plugin }

// Tagger returns the driver's writer of tags.
func (c *Cloud) Tagger() driver.Tagger { return c.plugin }

// Editor returns who changes in place what machines are.
func (c *Cloud) Editor() driver.Editor { return c.plugin }

// Lister returns the driver's lists of machines.
func (c *Cloud) Lister() driver.Lister { return c.plugin }

// Marker returns the driver's writer of marks.
func (c *Cloud) Marker() driver.Marker { return c.plugin }

// Accountant returns who can tell whose credentials they are.
func (c *Cloud) Accountant() driver.Accountant { return c.plugin }

// OfferingLister returns who tells what a class can get.
func (c *Cloud) OfferingLister() driver.OfferingLister { return c.resolver }

// DiskLister returns who tells what disks machines have.
func (c *Cloud) DiskLister() driver.DiskLister { return c.disks }

// Handle returns the handle by which the allocation of a machine that is already
// there is polled.
func (c *Cloud) Handle(id driver.ProviderID) (machineops.ProviderOperation, error) {
	// When its launch was accepted is not known, so it tells nothing of how long a boot takes.
	token, err := resumeToken{Region: id.Region, InstanceID: id.ResourceID}.encode()
	if err != nil {
		return machineops.ProviderOperation{}, err
	}

	return machineops.ProviderOperation{OperationID: id.String(), ResumeToken: token}, nil
}

// CheckOperation returns an error that says what is wrong with the parameters that a user
// gives for an operation on a machine, as far as that can be told without a call. The
// undecided ones have no value yet, and may turn out not to be given.
func (c *Cloud) CheckOperation(request machineops.OperationRequest, undecided ...string) error {
	wrong := checkParameters(request, nil, undecided)

	named := replacementOf(request)
	waits := named == replacementImage{} && (slices.Contains(undecided, ParameterImageID) || slices.Contains(undecided, ParameterImageFamily))

	if request.Operation != v1alpha3.OperationHostReplace || waits {
		return wrong
	}

	return errors.Join(wrong, named.check(request))
}

// AwaitedOperation is what a user calls the operation that the machine is under, and that
// the one of this UID would wait for; it is empty where there is none, or it is that one
// itself.
func (c *Cloud) AwaitedOperation(operationUID types.UID, machine *driver.ObservedMachine) string {
	if machine.UnderWayKey == operationKey(string(operationUID)) {
		return ""
	}

	return machine.UnderWay
}

// EffectParameters are the parameters that say what an operation does, as opposed to
// how: with another value of one it is another operation.
func (c *Cloud) EffectParameters() []string {
	return []string{ParameterImageFamily, ParameterImageID, ParameterStoppedMode, ParameterSystemDiskSize}
}

// ConsoleOutput returns the end of what the machine wrote to its console when it was
// last started, rebooted or stopped. Boot scripts may have printed secrets.
func (c *Cloud) ConsoleOutput(ctx context.Context, secret *corev1.Secret, machine string) (string, error) {
	id, err := parseProviderID(machine, "")
	if err != nil {
		return "", err
	}

	client, err := c.plugin.NewECSClient(secret, id.Region)
	if err != nil {
		return "", driverError(err)
	}

	console, err := client.ConsoleOutput(ctx, id.Region, id.ResourceID)
	if err != nil {
		return "", driverError(fmt.Errorf("reading the console of %s: %w", id, err))
	}

	return consoleTail(console.Text), nil
}

// Secret returns an operation's credentials as driver requests carry them.
func (c *Cloud) Secret(auth *machineops.OperationAuth) *corev1.Secret { return secretOf(auth) }
