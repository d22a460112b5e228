package alicloud

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// AccountID returns the account that the credentials belong to.
//
// Source: STS, GetCallerIdentity.
func (plugin *MachinePlugin) AccountID(ctx context.Context, secret *corev1.Secret, region string) (string, error) {
	client, err := plugin.NewECSClient(secret, region)
	if err != nil {
		return "", driverError(err)
	}

	identity, err := client.CallerIdentity(ctx)
	if err != nil {
		return "", lookError(fmt.Errorf("asking whose credentials they are: %w", err))
	}

	return identity.AccountID, nil
}
