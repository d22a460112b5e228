package provider

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// Cloud is one connected cloud.
type Cloud interface {
	// Registration is how its machines are allocated and released.
	Registration() *machineops.Provider
	// Observer looks at its machines.
	Observer() driver.Observer
	// Tagger writes their tags.
	Tagger() driver.Tagger
	// Lister lists them.
	Lister() driver.Lister
	// Marker writes their marks.
	Marker() driver.Marker
	// OfferingLister tells what a class can get.
	OfferingLister() driver.OfferingLister
	// Accountant tells whose credentials they are.
	Accountant() driver.Accountant
	// Handle returns the handle by which the allocation of a machine that is already
	// there is polled.
	Handle(id driver.ProviderID) (machineops.ProviderOperation, error)
	// Secret returns credentials as driver requests carry them.
	Secret(auth *machineops.OperationAuth) *corev1.Secret
}

// AlicloudConnector is how the provider reaches Alibaba Cloud without knowing the
// package that does it. main fills it in.
type AlicloudConnector struct {
	// Complete fills what the configuration left open from the environment.
	Complete func(driver.Settings) driver.Settings
	// Auth makes operation credentials of what the configuration holds; empty
	// arguments mean the environment's.
	Auth func(accessKeyID, accessKeySecret, securityToken string) *machineops.OperationAuth
	// Connect returns the cloud. It makes no call.
	Connect func(driver.Settings) (Cloud, error)
}
