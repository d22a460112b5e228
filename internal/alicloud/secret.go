package alicloud

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/credentials"
	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
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
	// SecretProfile is the key of the profile of the command line tool.
	SecretProfile = "profile"
	// SecretProfileFile is the key of the command line tool's file.
	SecretProfileFile = "profileFile"
	// SecretInstanceRole is the key of the RAM role of the instance that this runs on.
	SecretInstanceRole = "instanceRole"
	// SecretCredentialsURI is the key of the URI that answers a key.
	SecretCredentialsURI = "credentialsURI"
	// SecretRoles is the key of the roles to assume, one with the key of the other: the
	// JSON of credentials.Role.
	SecretRoles = "assumeRole"
	// SecretOIDCRole is the key of the role that is assumed by a token: the JSON of
	// credentials.OIDCRole.
	SecretOIDCRole = "assumeRoleWithOIDC"
)

// The keys of the AccessKey in Kubernetes secrets of older machine controllers of
// this cloud.
const (
	secretOldAccessKeyID     = "alicloudAccessKeyID"
	secretOldAccessKeySecret = "alicloudAccessKeySecret"
)

// The modes of machineops.OperationAuth.
const (
	// AuthModeAccessKey takes the AccessKey from the secret data.
	AuthModeAccessKey = "AccessKey"
	// AuthModeEnvironment takes the credentials from where the environment has them;
	// the secret data may hold roles to assume with them.
	AuthModeEnvironment = "Environment"
	// AuthModeNamed takes the credentials from the source that the secret data names.
	AuthModeNamed = "Named"
)

// metadataVariable replaces the address of the instance metadata service. It is
// honored on loopback only.
const metadataVariable = "TF_MACHINE_METADATA_ENDPOINT"

// secretOf returns the secret that stands for an operation's credentials.
func secretOf(auth *machineops.OperationAuth) *corev1.Secret {
	secret := &corev1.Secret{Data: map[string][]byte{}}

	if auth == nil {
		return secret
	}

	for key, value := range auth.SecretData {
		secret.Data[key] = []byte(value)
	}

	return secret
}

// argumentsOf reads a secret's credentials. Those of Kubernetes secrets may stand
// under the older keys of their kind, and often end in a line break.
func argumentsOf(secret *corev1.Secret) map[string]string {
	arguments := map[string]string{}

	if secret == nil {
		return arguments
	}

	set := func(name, from string) {
		if value := strings.TrimSpace(string(secret.Data[from])); value != "" {
			arguments[name] = value
		}
	}

	for _, name := range []string{
		SecretAccessKeyID, SecretAccessKeySecret, SecretSecurityToken, SecretProfile, SecretProfileFile, SecretInstanceRole,
		SecretCredentialsURI, SecretRoles, SecretOIDCRole,
	} {
		set(name, name)
	}

	if arguments[SecretAccessKeyID] == "" && arguments[SecretAccessKeySecret] == "" {
		set(SecretAccessKeyID, secretOldAccessKeyID)
		set(SecretAccessKeySecret, secretOldAccessKeySecret)
	}

	return arguments
}

// Auth returns operation credentials of what the configuration gives under the keys
// of a credentials secret; nothing means those of the environment. Credentials that
// are given in part, by the configuration, by the environment or in a file, are an
// error. It reads files and calls nothing.
func Auth(settings driver.Settings, arguments map[string]string) (*machineops.OperationAuth, error) {
	auth := &machineops.OperationAuth{Mode: AuthModeEnvironment, SecretData: map[string]string{}}

	for name, value := range arguments {
		if value != "" {
			auth.SecretData[name] = value
		}
	}

	switch {
	case auth.SecretData[SecretAccessKeyID] != "":
		auth.Mode = AuthModeAccessKey
	case len(auth.SecretData) > 1 || len(auth.SecretData) == 1 && auth.SecretData[SecretRoles] == "":
		auth.Mode = AuthModeNamed
	}

	if _, err := credentialsOf(settings, auth.SecretData, os.LookupEnv, http.DefaultTransport); err != nil {
		return nil, err
	}

	return auth, nil
}

// credentialsOf returns the source that the arguments name.
func credentialsOf(
	settings driver.Settings, arguments map[string]string, lookup func(string) (string, bool), transport http.RoundTripper,
) (ecs.Credentials, error) {
	options := credentialOptions(lookup)
	options.AccessKeyID = arguments[SecretAccessKeyID]
	options.AccessKeySecret = arguments[SecretAccessKeySecret]
	options.SecurityToken = arguments[SecretSecurityToken]
	options.Profile = arguments[SecretProfile]
	options.ProfileFile = arguments[SecretProfileFile]
	options.InstanceRole = arguments[SecretInstanceRole]
	options.URI = arguments[SecretCredentialsURI]
	options.Logger = settings.Logger
	options.STS = credentials.STS{
		Region: settings.Region, Endpoint: settings.Endpoints[productSTS], EndpointOrigin: settings.EndpointOrigins[productSTS], Protocol: settings.Protocol, UserAgent: settings.UserAgent, Transport: transport,
	}

	if text := arguments[SecretRoles]; text != "" {
		if err := json.Unmarshal([]byte(text), &options.Roles); err != nil {
			return nil, fmt.Errorf("the secret's %s is not the JSON of roles", SecretRoles)
		}
	}

	if text := arguments[SecretOIDCRole]; text != "" {
		options.OIDC = &credentials.OIDCRole{}
		if err := json.Unmarshal([]byte(text), options.OIDC); err != nil {
			return nil, fmt.Errorf("the secret's %s is not the JSON of a role", SecretOIDCRole)
		}
	}

	return credentials.New(options)
}

// credentialOptions look in this process's environment.
func credentialOptions(lookup func(string) (string, bool)) credentials.Options {
	options := credentials.Options{LookupEnv: lookup}

	// Who has no home has no files there.
	if home, err := os.UserHomeDir(); err == nil {
		options.HomeDirectory = home
	}

	if endpoint, set := lookup(metadataVariable); set {
		if parsed, err := url.Parse(endpoint); err == nil && net.ParseIP(parsed.Hostname()).IsLoopback() {
			options.MetadataEndpoint = endpoint
		}
	}

	return options
}
