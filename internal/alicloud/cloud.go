package alicloud

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// Cloud is Alibaba Cloud under one set of settings: the driver and the machineops
// registration, over the same sessions.
type Cloud struct {
	plugin       *MachinePlugin
	registration *machineops.Provider
}

// New returns the cloud for the settings. It makes no call.
func New(settings driver.Settings) (*Cloud, error) {
	if settings.Clock == nil {
		settings.Clock = clock.RealClock{}
	}

	plugin := &MachinePlugin{SPI: newSessions(settings)}

	registration, err := newRegistration(plugin, settings)
	if err != nil {
		return nil, fmt.Errorf("registering %s: %w", ProviderAlicloud, err)
	}

	return &Cloud{plugin: plugin, registration: registration}, nil
}

// Registration returns the machineops registration.
func (c *Cloud) Registration() *machineops.Provider { return c.registration }

// Observer returns the driver's view of machines.
func (c *Cloud) Observer() driver.Observer { return c.plugin }

// Tagger returns the driver's writer of tags.
func (c *Cloud) Tagger() driver.Tagger { return c.plugin }

// Secret returns an operation's credentials as driver requests carry them.
func (c *Cloud) Secret(auth *machineops.OperationAuth) *corev1.Secret { return secretOf(auth) }
