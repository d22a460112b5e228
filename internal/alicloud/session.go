package alicloud

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// sessions makes one client for each set of credentials and keeps it, so that all
// calls of the process share its readers, its limits and the sessions of its roles.
// It implements spi.PluginSPI.
type sessions struct {
	settings driver.Settings
	lookup   func(string) (string, bool)

	mu      sync.Mutex
	clients map[string]*ecs.Client
}

func newSessions(settings driver.Settings) *sessions {
	return &sessions{settings: settings, lookup: os.LookupEnv, clients: map[string]*ecs.Client{}}
}

// NewECSClient returns the client for the credentials in the secret. The client
// serves every region; each call names its own.
func (s *sessions) NewECSClient(secret *corev1.Secret, region string) (*ecs.Client, error) {
	arguments := argumentsOf(secret)

	// The key lives in memory only. Marshaling sorts it.
	key, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if client, ok := s.clients[string(key)]; ok {
		return client, nil
	}

	if region == "" {
		region = s.settings.Region
	}

	transport, err := ecs.NewTransport(s.settings.Proxy, s.settings.CAFile)
	if err != nil {
		return nil, err
	}

	source, err := credentialsOf(s.settings, arguments, s.lookup, transport)
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}

	// An interface that holds a nil one is not nil itself.
	var meetings clock.WithTicker
	if s.settings.Meetings != nil {
		meetings = s.settings.Meetings
	}

	client, err := ecs.New(ecs.Config{
		Region:               region,
		Credentials:          source,
		Endpoints:            endpointsOf(s.settings.Endpoints),
		EndpointOrigins:      endpointsOf(s.settings.EndpointOrigins),
		Protocol:             s.settings.Protocol,
		UserAgent:            s.settings.UserAgent,
		Clock:                s.settings.Clock,
		Meetings:             meetings,
		Logger:               s.settings.Logger,
		Transport:            transport,
		MaxRequestsPerMinute: s.settings.MaxRequestsPerMinute,
	})
	if err != nil {
		return nil, err
	}

	s.clients[string(key)] = client

	return client, nil
}
