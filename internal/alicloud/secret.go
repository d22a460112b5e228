package alicloud

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// The keys of a credentials secret.
const (
	// SecretAccessKeyID is the key of the AccessKey ID.
	SecretAccessKeyID = "accessKeyID"
	// SecretAccessKeySecret is the key of the AccessKey secret.
	SecretAccessKeySecret = "accessKeySecret"
	// SecretSecurityToken is the key of the STS token of temporary credentials.
	SecretSecurityToken = "securityToken"
)

// The keys of the AccessKey in Kubernetes secrets of older machine controllers of
// this cloud.
const (
	secretOldAccessKeyID     = "alicloudAccessKeyID"
	secretOldAccessKeySecret = "alicloudAccessKeySecret"
)

// The modes of machineops.OperationAuth.
const (
	// AuthModeAccessKey takes the credentials from the secret data.
	AuthModeAccessKey = "AccessKey"
	// AuthModeEnvironment takes the credentials from the environment.
	AuthModeEnvironment = "Environment"
)

// secretOf returns the secret that stands for an operation's credentials.
func secretOf(auth *machineops.OperationAuth) *corev1.Secret {
	secret := &corev1.Secret{Data: map[string][]byte{}}

	if auth == nil || auth.Mode == AuthModeEnvironment {
		return secret
	}

	for key, value := range auth.SecretData {
		secret.Data[key] = []byte(value)
	}

	return secret
}

// Auth returns operation credentials: the AccessKey where one is given, else those
// of the environment.
func Auth(accessKeyID, accessKeySecret, securityToken string) *machineops.OperationAuth {
	if accessKeyID == "" {
		return &machineops.OperationAuth{Mode: AuthModeEnvironment}
	}

	return &machineops.OperationAuth{
		Mode: AuthModeAccessKey,
		SecretData: map[string]string{
			SecretAccessKeyID:     accessKeyID,
			SecretAccessKeySecret: accessKeySecret,
			SecretSecurityToken:   securityToken,
		},
	}
}
