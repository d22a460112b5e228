package alicloud

import (
	"os"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// sessions makes one client for each set of credentials and keeps it, so that all
// calls of the process share its readers. It implements spi.PluginSPI.
type sessions struct {
	settings driver.Settings
	lookup   func(string) (string, bool)

	mu      sync.Mutex
	clients map[sessionKey]*ecs.Client
}

// sessionKey lives in memory only.
type sessionKey struct{ accessKeyID, accessKeySecret, securityToken string }

func newSessions(settings driver.Settings) *sessions {
	return &sessions{settings: settings, lookup: os.LookupEnv, clients: map[sessionKey]*ecs.Client{}}
}

// sessionKeyOf reads a secret's credentials. Those of Kubernetes secrets may stand
// under the older keys of their kind, and often end in a line break.
func sessionKeyOf(secret *corev1.Secret) sessionKey {
	if secret == nil {
		return sessionKey{}
	}

	value := func(name string) string { return strings.TrimSpace(string(secret.Data[name])) }

	key := sessionKey{accessKeyID: value(SecretAccessKeyID), accessKeySecret: value(SecretAccessKeySecret), securityToken: value(SecretSecurityToken)}
	if key.accessKeyID == "" && key.accessKeySecret == "" {
		key.accessKeyID, key.accessKeySecret = value(secretOldAccessKeyID), value(secretOldAccessKeySecret)
	}

	return key
}

// NewECSClient returns the client for the credentials in the secret. The client
// serves every region; each call names its own.
func (s *sessions) NewECSClient(secret *corev1.Secret, region string) (*ecs.Client, error) {
	key := sessionKeyOf(secret)

	s.mu.Lock()
	defer s.mu.Unlock()

	if client, ok := s.clients[key]; ok {
		return client, nil
	}

	credentials := ecs.EnvironmentCredentials(s.lookup)
	if key != (sessionKey{}) {
		credentials = ecs.StaticCredentials(key.accessKeyID, key.accessKeySecret, key.securityToken)
	}

	if region == "" {
		region = s.settings.Region
	}

	client, err := ecs.New(ecs.Config{
		Region:      region,
		Credentials: credentials,
		Endpoints: ecs.Endpoints{
			ECS: s.settings.Endpoints["ecs"],
			VPC: s.settings.Endpoints["vpc"],
			STS: s.settings.Endpoints["sts"],
		},
		Protocol:  s.settings.Protocol,
		UserAgent: s.settings.UserAgent,
		Clock:     s.settings.Clock,
		Logger:    s.settings.Logger,
	})
	if err != nil {
		return nil, err
	}

	s.clients[key] = client

	return client, nil
}
