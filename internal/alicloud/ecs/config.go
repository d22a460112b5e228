package ecs

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"

	"k8s.io/utils/clock"
)

// Config says how a Client reaches the API. The zero value of every field but
// Credentials has a meaning of its own.
type Config struct {
	// Region is used by calls that name none, e.g. "cn-hangzhou". It may be empty
	// if every call names its region.
	Region string
	// Credentials signs every call, whatever the service. Required.
	Credentials Credentials
	// Endpoints replaces the vendor's hosts.
	Endpoints Endpoints
	// EndpointOrigins says of each of the Endpoints what names it, as a user would, for
	// the errors of calls that do not get there; empty is not known.
	EndpointOrigins Endpoints
	// Protocol is "https" (the default) or "http". An endpoint that carries a
	// scheme of its own is reached by that one.
	Protocol string
	// UserAgent is appended to the SDK's own.
	UserAgent string
	// Clock times backoffs and waits; nil is the real one. Timeouts of single
	// calls are always real time.
	Clock clock.WithTickerAndDelayedExecution
	// Meetings is what callers meet on whose calls go together; nil is the real clock.
	Meetings clock.WithTicker
	// Random gives the jitter of backoffs, in [0,1); nil is a random source.
	Random func() float64
	// Transport carries the calls; nil is one of the client's own, which takes
	// proxies from HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
	Transport http.RoundTripper
	// MaxRequestsPerMinute bounds the calls of each action in each region; 0 means
	// that the API alone does.
	MaxRequestsPerMinute int
	// Logger is told of every call at DEBUG, without parameters; nil discards.
	Logger *slog.Logger
}

// Endpoints are the addresses of the services as host or host:port, optionally
// with a scheme ("http://127.0.0.1:8080"). Empty is the vendor's for the region.
type Endpoints struct {
	ECS string
	VPC string
	STS string
}

// The wire protocols.
const (
	protocolHTTPS = "https"
	protocolHTTP  = "http"
)

var (
	regionPattern = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_-]*$`)
	// Image IDs have dots.
	idPattern   = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]*$`)
	hostPattern = regexp.MustCompile(`^([a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?$`)
)

// validate returns one error that names everything wrong with the configuration.
func (config Config) validate() error {
	var problems []error
	if config.Credentials == nil {
		problems = append(problems, errors.New("no credentials given"))
	}
	if config.Region != "" {
		problems = append(problems, validateRegion(config.Region))
	}
	switch config.Protocol {
	case "", protocolHTTPS, protocolHTTP:
	default:
		problems = append(problems, fmt.Errorf("protocol %q is neither %q nor %q", config.Protocol, protocolHTTPS, protocolHTTP))
	}
	if config.MaxRequestsPerMinute < 0 {
		problems = append(problems, fmt.Errorf("%d requests per minute are none", config.MaxRequestsPerMinute))
	}
	if strings.ContainsFunc(config.UserAgent, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		problems = append(problems, errors.New("the user agent contains control characters"))
	}
	for _, endpoint := range []struct{ name, value string }{
		{"ECS", config.Endpoints.ECS}, {"VPC", config.Endpoints.VPC}, {"STS", config.Endpoints.STS},
	} {
		if _, _, err := splitEndpoint(endpoint.value); err != nil {
			problems = append(problems, fmt.Errorf("%s endpoint: %w", endpoint.name, err))
		}
	}
	return errors.Join(problems...)
}

func validateRegion(region string) error {
	if !regionPattern.MatchString(region) {
		return fmt.Errorf("region %q is malformed: a region looks like \"cn-hangzhou\"", region)
	}
	return nil
}
