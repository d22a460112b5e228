package ecs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk"
	"k8s.io/utils/clock"
)

// Client calls the API. It is safe for concurrent use and is shared by all who
// work in one account, so that their reads share calls.
type Client struct {
	region      string
	credentials Credentials
	endpoints   Endpoints
	origins     Endpoints
	protocol    string
	userAgent   string
	clock       clock.WithTickerAndDelayedExecution
	random      func() float64
	transport   http.RoundTripper
	logger      *slog.Logger

	closeTransport func()
	instances      *instanceReader
	listings       *listingReader
	permissions    *listingReader
	changes        *changer
	limits         *limiter
	reach          reach
}

// New returns a client. Its error names everything that is wrong with config;
// nothing is called. Close releases what the client holds.
func New(config Config) (*Client, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("client configuration: %w", err)
	}
	client := &Client{
		region:         config.Region,
		credentials:    config.Credentials,
		endpoints:      config.Endpoints,
		origins:        config.EndpointOrigins,
		protocol:       config.Protocol,
		userAgent:      sdk.DefaultUserAgent,
		clock:          config.Clock,
		random:         config.Random,
		transport:      config.Transport,
		logger:         config.Logger,
		closeTransport: func() {},
	}
	if client.protocol == "" {
		client.protocol = protocolHTTPS
	}
	if config.UserAgent != "" {
		client.userAgent += " " + config.UserAgent
	}
	if client.clock == nil {
		client.clock = clock.RealClock{}
	}
	if client.random == nil {
		client.random = rand.Float64
	}
	if client.transport == nil {
		transport := newTransport()
		client.transport, client.closeTransport = transport, transport.CloseIdleConnections
	}
	if client.logger == nil {
		client.logger = slog.New(slog.DiscardHandler)
	}
	client.limits = newLimiter(client.clock, client.random, config.MaxRequestsPerMinute)
	// Callers meet in real time, however fast the clock of the waits runs.
	meetings := config.Meetings
	if meetings == nil {
		meetings = clock.RealClock{}
	}
	client.instances = newInstanceReader(client.describeInstancesByID, meetings, client.clock)
	client.listings = newListingReader(client.describeInstancesByTags, meetings)
	client.permissions = newListingReader(client.proveListPermission, meetings)
	client.changes = newChanger(newGroup(meetings, client.clock, changePause), client.send)
	return client, nil
}

// Close ends the calls that callers share, waits until they have ended, and lets
// idle connections go. Calls after it fail.
func (c *Client) Close() {
	c.instances.close()
	c.listings.close()
	c.permissions.close()
	c.changes.close()
	c.closeTransport()
}

// Format tells nothing of what the client holds.
func (c *Client) Format(state fmt.State, _ rune) {
	// A failed write to a formatter has nobody to be told to.
	_, _ = io.WriteString(state, "ecs client")
}

// regionOf returns the region of a call: the one that it names, else the client's.
func (c *Client) regionOf(action, region string) (string, error) {
	if region == "" {
		region = c.region
	}
	if region == "" {
		return "", invalidRequest(action, "", "no region given")
	}
	if err := validateRegion(region); err != nil {
		return "", invalidRequest(action, "", "%w", err)
	}
	return region, nil
}

// wait lasts for a duration of the client's clock. It returns false as soon as
// ctx has ended.
func (c *Client) wait(ctx context.Context, duration time.Duration) bool {
	timer := c.clock.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C():
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
