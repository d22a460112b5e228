package alicloud

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/spi"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// ProviderAlicloud is the name of this provider's registration and driver.
const ProviderAlicloud = "Alicloud"

// MachinePlugin implements driver.Driver for Alibaba Cloud ECS. It also implements
// spi.PluginSPI, by handing on to its SPI.
type MachinePlugin struct {
	SPI spi.PluginSPI

	// looks, where set, keep what a poll has just seen for the one who asks next.
	looks *justSeen
}

var (
	_ driver.Driver     = (*MachinePlugin)(nil)
	_ spi.PluginSPI     = (*MachinePlugin)(nil)
	_ driver.Observer   = (*MachinePlugin)(nil)
	_ driver.Tagger     = (*MachinePlugin)(nil)
	_ driver.Lister     = (*MachinePlugin)(nil)
	_ driver.Marker     = (*MachinePlugin)(nil)
	_ driver.Accountant = (*MachinePlugin)(nil)
)

// NewAlicloudPlugin returns a driver that gets its clients from pluginSPI. It makes
// no call.
func NewAlicloudPlugin(pluginSPI spi.PluginSPI) driver.Driver {
	return &MachinePlugin{SPI: pluginSPI}
}

// NewECSClient returns the SPI's client for the secret and region. Without an SPI it
// is an error of code CodeFailedPrecondition.
func (plugin *MachinePlugin) NewECSClient(secret *corev1.Secret, region string) (*ecs.Client, error) {
	if plugin == nil || plugin.SPI == nil {
		return nil, driver.NewError(driver.CodeFailedPrecondition, "the machine plugin was made without an SPI to connect with")
	}

	client, err := plugin.SPI.NewECSClient(secret, region)
	if err != nil {
		return nil, fmt.Errorf("connecting to ECS: %w", err)
	}

	if client == nil {
		return nil, driver.NewError(driver.CodeFailedPrecondition, "the machine plugin's SPI gave no client")
	}

	return client, nil
}
