package alicloud

import (
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// registration holds what the machineops callbacks share.
type registration struct {
	plugin   *MachinePlugin
	resolver *resolver
	clock    clock.Clock
	// newID makes random identifiers.
	newID func() string
	// holder tells the operations of this process from those of others.
	holder string
	// started is since when this process does anything.
	started time.Time
	// boots is how long launched machines took to run, releases how long released ones
	// took to be gone.
	boots, releases expected
}

// holderLength is how many characters tell processes apart that operate on one
// machine at a time.
const holderLength = 4

// newRegistration registers what this version does to machines, and returns who does it,
// too.
func newRegistration(plugin *MachinePlugin, resolver *resolver, settings driver.Settings) (*registration, *machineops.Provider, error) {
	r := &registration{
		plugin: plugin, resolver: resolver, clock: settings.Clock, newID: func() string { return string(uuid.NewUUID()) },
		started: settings.Clock.Now(),
	}
	r.holder = operationKey(r.newID())[:holderLength]

	registered, err := machineops.NewProvider(ProviderAlicloud,
		machineops.WithCapacity(r.resolveClass, planAllocation),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostAllocate, r.beginAllocate, r.pollAllocate),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostRelease, r.beginRelease, r.pollRelease),
		r.operate(v1alpha3.OperationHostPowerOn, always(powerOn{})),
		r.operate(v1alpha3.OperationHostPowerOff, always(powerOff{})),
		r.operate(v1alpha3.OperationHostReboot, always(reboot{})),
		r.operate(v1alpha3.OperationHostReplace, reshaping),
	)

	return r, registered, err
}
