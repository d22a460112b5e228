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
	// boots is how long launched machines took to run.
	boots expected
}

// newRegistration registers what this version does to machines. HostReboot and
// HostReplace are not registered: their effects cannot be told from their absence
// by looking at the machine, so a repeated Begin would repeat them. Asking for one
// is an error that says so, and never a wait.
func newRegistration(plugin *MachinePlugin, settings driver.Settings) (*machineops.Provider, error) {
	r := &registration{plugin: plugin, clock: settings.Clock}

	return machineops.NewProvider(ProviderAlicloud,
		machineops.WithCapacity(r.resolveClass, planAllocation),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostAllocate, r.beginAllocate, r.pollAllocate),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostRelease, r.beginRelease, r.pollRelease),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostPowerOn, r.beginPowerOn, r.pollPower),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostPowerOff, r.beginPowerOff, r.pollPower),
	)
}
