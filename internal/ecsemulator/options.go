package ecsemulator

import (
	"fmt"
	"log/slog"
	"time"
)

// The access key that every server knows unless Options.AccessKeys says otherwise. It opens nothing but an emulator.
const (
	DefaultAccessKeyID     = "LTAI5tEmulatorKey0000001"
	DefaultAccessKeySecret = "emulator-secret-that-opens-nothing"
	DefaultAccountID       = "1234567890123456"
	DefaultRegionID        = "cn-hangzhou"
)

// Durations in virtual time that a server uses where Options leaves them zero.
const (
	DefaultPendingDuration = 2 * time.Second
	DefaultBootDuration    = 15 * time.Second
	DefaultStopDuration    = 8 * time.Second
	DefaultReleaseDuration = 5 * time.Second
)

// Options configures a Server. The zero value is usable. All durations are virtual: with ClockFactor 60 a BootDuration of 60 s takes
// one second of wall time. In every duration zero means the default and a negative value means none.
type Options struct {
	// Catalogue is what there is to rent. Nil means the built-in one.
	Catalogue *Catalogue
	// ClockFactor is how many virtual seconds pass in one second. Zero means 1.
	ClockFactor float64
	// ClockOrigin is since when the clock has run fast. Zero means since Start. Clocks that were scaled alike at one moment agree.
	ClockOrigin time.Time
	// PendingDuration is how long a new instance is Pending.
	PendingDuration time.Duration
	// BootDuration is the time from RunInstances to Running, and from StartInstance or RebootInstance to Running.
	BootDuration time.Duration
	// StopDuration is how long an instance is Stopping.
	StopDuration time.Duration
	// ReleaseDuration is how long a released instance is still there, as Stopping, with its addresses and disks.
	ReleaseDuration time.Duration
	// NewVisibilityDelay is how long reads leave a new instance out. Default none.
	NewVisibilityDelay time.Duration
	// ReleasedVisibilityDelay is how long reads still list an instance that is gone. Default none.
	ReleasedVisibilityDelay time.Duration
	// AccessKeys are the keys that may sign. None means one: DefaultAccessKeyID.
	AccessKeys []AccessKey
	// AccountID is the account of access keys that name none. Empty means DefaultAccountID.
	AccountID string
	// Users, Roles and IdentityProviders are what RAM knows from the start.
	Users             []User
	Roles             []Role
	IdentityProviders []IdentityProvider
	// RegionID is the region that Environment names. Empty means DefaultRegionID.
	RegionID string
	// Behavior chooses between the possible readings of what the documentation leaves open.
	Behavior Behavior
	// Rules are in force from the start.
	Rules []Rule
	// Logger gets one line per call, without secrets. Nil means no log.
	Logger *slog.Logger
	// Address is where the API listens. Empty means a free port on 127.0.0.1.
	Address string
	// ControlAddress is where the control API listens. Empty means a free port on 127.0.0.1.
	ControlAddress string
	// TLS makes the API speak HTTPS, with a certificate that it makes; Server.CAFile is what clients must trust.
	TLS bool
	// CAFile is where the certificate of the authority is written. Empty means a temporary file, which Close removes.
	CAFile string
	// MetadataAddress is where the instance metadata service listens, over plain HTTP. Empty means that there is none.
	MetadataAddress string
	// StateFile keeps what the server knows from one run to the next: it is read at the start if it is there, and written when the
	// server closes and every few seconds in which something changed. Empty means that all is forgotten.
	StateFile string
	// NewID makes the variable part of resource ids: 17 lower case letters and digits, never twice the same. Nil means random.
	NewID func() string
}

// AccessKey is a key pair that may sign requests.
type AccessKey struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
	// SecurityToken makes this a temporary key: a call must bring the token.
	SecurityToken string `json:"security_token,omitempty"`
	// Expires ends a temporary key, by the wall clock. Zero means never.
	Expires time.Time `json:"expires,omitzero"`
	// AccountID is the account the key belongs to. Empty means Options.AccountID.
	AccountID string `json:"account_id,omitempty"`
	// UserName makes it the key of a RAM user of the account; RoleName that of an assumed role; neither, of the account itself.
	UserName string `json:"user_name,omitempty"`
	RoleName string `json:"role_name,omitempty"`
	// SessionName is the name of the session of an assumed role, and SessionPolicy what it may do at most.
	SessionName   string  `json:"session_name,omitempty"`
	SessionPolicy *Policy `json:"session_policy,omitempty"`
	// Disabled keys are known but refused.
	Disabled bool `json:"disabled,omitempty"`
}

func (o Options) withDefaults() (Options, error) {
	if o.ClockFactor < 0 {
		return o, fmt.Errorf("clock factor %v is negative", o.ClockFactor)
	}
	o.ClockFactor = orDefault(o.ClockFactor, 1)
	o.PendingDuration = durationOr(o.PendingDuration, DefaultPendingDuration)
	o.BootDuration = durationOr(o.BootDuration, DefaultBootDuration)
	o.StopDuration = durationOr(o.StopDuration, DefaultStopDuration)
	o.ReleaseDuration = durationOr(o.ReleaseDuration, DefaultReleaseDuration)
	o.NewVisibilityDelay = durationOr(o.NewVisibilityDelay, 0)
	o.ReleasedVisibilityDelay = durationOr(o.ReleasedVisibilityDelay, 0)
	o.PendingDuration = min(o.PendingDuration, o.BootDuration)
	o.AccountID = orDefault(o.AccountID, DefaultAccountID)
	o.RegionID = orDefault(o.RegionID, DefaultRegionID)
	o.Address = orDefault(o.Address, "127.0.0.1:0")
	o.ControlAddress = orDefault(o.ControlAddress, "127.0.0.1:0")
	if o.NewID == nil {
		o.NewID = randomID
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if len(o.AccessKeys) == 0 {
		o.AccessKeys = []AccessKey{{ID: DefaultAccessKeyID, Secret: DefaultAccessKeySecret}}
	}
	keys := make([]AccessKey, len(o.AccessKeys))
	for i, key := range o.AccessKeys {
		if key.ID == "" || key.Secret == "" {
			return o, fmt.Errorf("access key %d needs an id and a secret", i+1)
		}
		key.AccountID = orDefault(key.AccountID, o.AccountID)
		keys[i] = key
	}
	o.AccessKeys = keys
	if o.Catalogue == nil {
		catalogue, err := DefaultCatalogue()
		if err != nil {
			return o, err
		}
		o.Catalogue = catalogue
	} else if err := o.Catalogue.validate(); err != nil {
		return o, err
	}
	behavior, err := o.Behavior.withDefaults()
	if err != nil {
		return o, err
	}
	o.Behavior = behavior
	return o, nil
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

func durationOr(value, fallback time.Duration) time.Duration {
	switch {
	case value < 0:
		return 0
	case value == 0:
		return fallback
	default:
		return value
	}
}
