package credentials

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"k8s.io/utils/clock"
)

// Options say where to look. The zero value looks in the environment only.
type Options struct {
	// AccessKeyID, AccessKeySecret and SecurityToken are a key that was given as it is.
	AccessKeyID, AccessKeySecret, SecurityToken string
	// Profile is a profile of the command line tool, and ProfileFile its file;
	// ~/.aliyun/config.json if it is empty.
	Profile, ProfileFile string
	// InstanceRole is the RAM role of the instance that this runs on.
	InstanceRole string
	// URI answers a key to whoever asks.
	URI string
	// OIDC is a role that is assumed by a token.
	OIDC *OIDCRole
	// Roles are assumed one with the key of the other, the first with the key that was
	// found.
	Roles []Role

	// LookupEnv is os.LookupEnv, and HomeDirectory the user's; without one no file is
	// looked for there.
	LookupEnv     func(string) (string, bool)
	HomeDirectory string
	// MetadataEndpoint replaces the address of the instance metadata service.
	MetadataEndpoint string
	STS              STS
	// Clock tells when a key ends; nil is the real one. Keys end by real time.
	Clock clock.PassiveClock
	// Logger is told of calls to STS; nil discards.
	Logger *slog.Logger
}

// STS is how the service is reached that opens sessions of roles.
type STS struct {
	// Region is the caller's; it may be empty.
	Region string
	// Endpoint replaces the vendor's host, and Protocol is that of the host; empty is
	// https.
	Endpoint, Protocol string
	// EndpointOrigin says what names the endpoint, for errors; it may be empty.
	EndpointOrigin string
	UserAgent      string
	// Transport carries the calls; nil is one of its own.
	Transport http.RoundTripper
}

// Role is a role to assume.
type Role struct {
	ARN string `json:"role_arn"`
	// SessionName is made up if it is empty.
	SessionName string `json:"session_name,omitempty"`
	// Seconds is how long a session lasts; 0 is an hour.
	Seconds    int64  `json:"session_expiration,omitempty"`
	Policy     string `json:"policy,omitempty"`
	ExternalID string `json:"external_id,omitempty"`
}

// OIDCRole is a role that is assumed by the token of an identity provider.
type OIDCRole struct {
	Role

	ProviderARN string `json:"oidc_provider_arn"`
	// TokenFile is read at every renewal; Token is used where there is none.
	TokenFile string `json:"oidc_token_file,omitempty"`
	Token     string `json:"oidc_token,omitempty"`
}

// Format tells nothing of what the options hold.
func (Options) Format(state fmt.State, _ rune) {
	// A failed write to a formatter has nobody to be told to.
	_, _ = io.WriteString(state, "credential options")
}

// Format tells which role it is, and not by what token.
func (role OIDCRole) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, "role "+role.ARN)
}

func (role Role) duration() time.Duration { return time.Duration(role.Seconds) * time.Second }

// completed fills in what may be left out.
func (o Options) completed() Options {
	if o.LookupEnv == nil {
		o.LookupEnv = func(string) (string, bool) { return "", false }
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.MetadataEndpoint == "" {
		o.MetadataEndpoint = metadataEndpoint
	}
	return o
}
