package spi

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// PluginSPI gives the machine plugin its sessions with the cloud.
type PluginSPI interface {
	// NewECSClient returns a client that signs with the credentials in the secret
	// and calls the region. A secret without credentials means those of the
	// environment. Clients for the same credentials may be the same client.
	NewECSClient(secret *corev1.Secret, region string) (*ecs.Client, error)
}
