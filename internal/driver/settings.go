package driver

import (
	"log/slog"

	"k8s.io/utils/clock"
)

// Settings are what a cloud's driver is made from, beside the credentials that
// travel with each request.
type Settings struct {
	// Owner is whose machines these are; it is written on every machine.
	Owner string
	// Region is where calls go that name no region.
	Region string
	// Endpoints are hosts (host or host:port) by product, in lower case. Products
	// that are not named use the cloud's own hosts.
	Endpoints map[string]string
	// EndpointOrigins says of each of the Endpoints what names it, as a user would, for
	// the errors of calls that do not get there.
	EndpointOrigins map[string]string
	// Protocol is https or http; empty means https.
	Protocol string
	// Proxy is the URL of the proxy that all calls take; empty means what the
	// environment says (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).
	Proxy string
	// CAFile is a file of certificates in PEM that servers are trusted by, beside those
	// that the system trusts; empty means none.
	CAFile string
	// MaxRequestsPerMinute bounds the calls of each action in each region; 0 means that
	// the cloud alone does.
	MaxRequestsPerMinute int
	// UserAgent is appended to the user agent of every call.
	UserAgent string
	// Clock is what waits follow; nil means the real one.
	Clock clock.WithTickerAndDelayedExecution
	// Meetings is what callers meet on whose calls go together; nil means the real clock.
	// It may be slower than Clock, where callers are, and never faster.
	Meetings clock.WithTickerAndDelayedExecution
	// Logger receives what happens, without secrets; nil discards it.
	Logger *slog.Logger
}
