package alicloud

import (
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// registration holds what the machineops callbacks share.
type registration struct {
	plugin *MachinePlugin
	clock  clock.Clock
}

// newRegistration registers what this version does to machines. The operations on a
// running host (power, reboot, replace) are not registered, so that asking for one is
// an error that says so, and never a wait.
func newRegistration(plugin *MachinePlugin, settings driver.Settings) (*machineops.Provider, error) {
	r := &registration{plugin: plugin, clock: settings.Clock}

	return machineops.NewProvider(ProviderAlicloud,
		machineops.WithCapacity(r.resolveClass, planAllocation),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostAllocate, r.beginAllocate, r.pollAllocate),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostRelease, r.beginRelease, r.pollRelease),
	)
}
