package ecsemulator

import (
	"fmt"
	"slices"
)

// Replay says what a repeated ClientToken gets once the instances of the first answer are gone.
type Replay string

// The values of Behavior.ReplayAfterRelease.
const (
	// ReplaySameIDs answers as the first time, with the ids of instances that are no more. The default: "the same result".
	ReplaySameIDs Replay = "same-ids"
	// ReplayFails answers IdempotentFailed.
	ReplayFails Replay = "error"
)

// TokenBurn says which refusals use a ClientToken up.
type TokenBurn string

// The values of Behavior.TokenBurn.
const (
	// BurnNoStock is the default and what the documentation says: after a refusal for lack of stock the token answers the same refusal,
	// also when stock is back. Other refusals leave the token unused.
	BurnNoStock TokenBurn = "no-stock"
	// BurnNever leaves the token unused after any refusal.
	BurnNever TokenBurn = "never"
	// BurnAlways answers IdempotentFailed to a token whose first call got any 4xx from the action.
	BurnAlways TokenBurn = "always"
)

// Denial says how a denied DescribeInstances answers.
type Denial string

// The values of Behavior.DeniedDescribe.
const (
	// DenialEmpty answers 200 with an empty list. The default: the help page of 2021 says so.
	DenialEmpty Denial = "empty"
	// DenialForbidden answers 403 Forbidden.RAM.
	DenialForbidden Denial = "forbidden"
)

// Shutdown says what comes of a stop that is not forced.
type Shutdown string

// The values of Behavior.GracefulStop.
const (
	// ShutdownEnds is the default: the guest shuts down.
	ShutdownEnds Shutdown = "ends"
	// ShutdownHangs is a guest that ignores it: the instance stays Stopping, and takes a forced stop then.
	ShutdownHangs Shutdown = "hangs"
	// ShutdownReverts is a guest that ignores it: the instance is Running again after the time of a stop.
	ShutdownReverts Shutdown = "reverts"
)

// Behavior holds one switch for each question that the documentation leaves open. The zero value takes the documented reading, or
// the more likely one.
type Behavior struct {
	// ReplayAfterRelease: what a ClientToken answers after the release of its instances.
	ReplayAfterRelease Replay `json:"replay_after_release,omitempty"`
	// TokenBurn: which refusals use a ClientToken up.
	TokenBurn TokenBurn `json:"token_burn,omitempty"`
	// TokenLifetimeSeconds: after this virtual time a ClientToken is forgotten. Zero means never.
	TokenLifetimeSeconds float64 `json:"token_lifetime_seconds,omitempty"`
	// TokenProcessingCode: what a token answers whose first call still runs. Empty means IdempotentProcessing; LastTokenProcessing is
	// the other code met.
	TokenProcessingCode string `json:"token_processing_code,omitempty"`
	// TokenProcessingStatus: the HTTP status of that answer. Zero means 403; the documentation names none for IdempotentProcessing.
	TokenProcessingStatus int `json:"token_processing_status,omitempty"`
	// NoAddressCode: what a launch answers for which the vSwitch has too few addresses. Empty means QuotaExceeded.PrivateIpAddress (400),
	// as the RunInstances page says; InvalidVSwitchId.IpNotEnough (403) is what pages of other actions say.
	NoAddressCode string `json:"no_address_code,omitempty"`
	// DeniedDescribe: how DescribeInstances answers a caller that a "deny" rule or a policy denies.
	DeniedDescribe Denial `json:"denied_describe,omitempty"`
	// ReleasingRefusesDelete: a second delete of an instance that is still going away answers IncorrectInstanceStatus instead of success.
	ReleasingRefusesDelete bool `json:"releasing_refuses_delete,omitempty"`
	// DeleteNotFoundCode: what DeleteInstances answers, with 404, to an id that is not there. Empty means InvalidInstanceId.NotFound;
	// InvalidInstanceIds.NotFound is the other code documented.
	DeleteNotFoundCode string `json:"delete_not_found_code,omitempty"`
	// DryRunDeleteCode: what DeleteInstances answers to a dry run that passes. Empty means DRYRUN.SUCCESS, as its page says;
	// DryRunOperation is what the other actions say.
	DryRunDeleteCode string `json:"dry_run_delete_code,omitempty"`
	// LockedRefusesDelete: an instance locked for security refuses its release by InstanceLockedForSecurity, as the table of the
	// DeleteInstance page has it. False lets it be released, as the page about locks says.
	LockedRefusesDelete bool `json:"locked_refuses_delete,omitempty"`
	// RebootKeepsStartTime: a reboot leaves the start time of the instance as it was. That it moves it is not documented.
	RebootKeepsStartTime bool `json:"reboot_keeps_start_time,omitempty"`
	// GracefulStop: what comes of a stop that is not forced. How long ECS waits for a guest is not documented.
	GracefulStop Shutdown `json:"graceful_stop,omitempty"`
	// NoConsole: GetInstanceConsoleOutput answers NotSupported for every instance, as it does for Windows.
	NoConsole bool `json:"no_console,omitempty"`
	// GatewayCodes: which vintage of codes the gateway refuses by.
	GatewayCodes Vintage `json:"gateway_codes,omitempty"`
}

// Vintage says of which age the gateway's codes are.
type Vintage string

// The values of Behavior.GatewayCodes.
const (
	// VintageCurrent is the default: the codes of today's pages.
	VintageCurrent Vintage = "current"
	// VintageOlder answers IllegalTimestamp (400) to an expired timestamp, 400 to an unknown access key, Forbidden.AccessKeyDisabled
	// (403) to a disabled one, InvalidAction (403) to an unknown action and InvalidParameter (400) to an unknown version.
	VintageOlder Vintage = "older"
)

// noAddress is the refusal of a launch for which there are too few addresses.
func (b Behavior) noAddress() *APIError {
	status := 400
	if b.NoAddressCode != "QuotaExceeded.PrivateIpAddress" {
		status = 403
	}
	return refuse(status, b.NoAddressCode, "The number of available private IP addresses of the vSwitch is insufficient.")
}

func (b Behavior) withDefaults() (Behavior, error) {
	b.ReplayAfterRelease = orDefault(b.ReplayAfterRelease, ReplaySameIDs)
	b.TokenBurn = orDefault(b.TokenBurn, BurnNoStock)
	b.TokenProcessingCode = orDefault(b.TokenProcessingCode, "IdempotentProcessing")
	b.TokenProcessingStatus = orDefault(b.TokenProcessingStatus, 403)
	b.NoAddressCode = orDefault(b.NoAddressCode, "QuotaExceeded.PrivateIpAddress")
	b.DeniedDescribe = orDefault(b.DeniedDescribe, DenialEmpty)
	b.DeleteNotFoundCode = orDefault(b.DeleteNotFoundCode, "InvalidInstanceId.NotFound")
	b.DryRunDeleteCode = orDefault(b.DryRunDeleteCode, "DRYRUN.SUCCESS")
	b.GatewayCodes = orDefault(b.GatewayCodes, VintageCurrent)
	b.GracefulStop = orDefault(b.GracefulStop, ShutdownEnds)
	switch {
	case b.ReplayAfterRelease != ReplaySameIDs && b.ReplayAfterRelease != ReplayFails:
		return b, fmt.Errorf("replay_after_release %q is neither %q nor %q", b.ReplayAfterRelease, ReplaySameIDs, ReplayFails)
	case b.TokenBurn != BurnNoStock && b.TokenBurn != BurnNever && b.TokenBurn != BurnAlways:
		return b, fmt.Errorf("token_burn %q is none of %q, %q, %q", b.TokenBurn, BurnNoStock, BurnNever, BurnAlways)
	case b.DeniedDescribe != DenialEmpty && b.DeniedDescribe != DenialForbidden:
		return b, fmt.Errorf("denied_describe %q is neither %q nor %q", b.DeniedDescribe, DenialEmpty, DenialForbidden)
	case b.GatewayCodes != VintageCurrent && b.GatewayCodes != VintageOlder:
		return b, fmt.Errorf("gateway_codes %q is neither %q nor %q", b.GatewayCodes, VintageCurrent, VintageOlder)
	case b.TokenProcessingStatus < 400 || b.TokenProcessingStatus > 599:
		return b, fmt.Errorf("token_processing_status %d is not within 400 and 599", b.TokenProcessingStatus)
	case !oneOf(b.NoAddressCode, "QuotaExceeded.PrivateIpAddress", "InvalidVSwitchId.IpNotEnough"):
		return b, fmt.Errorf("no_address_code %q is neither QuotaExceeded.PrivateIpAddress nor InvalidVSwitchId.IpNotEnough", b.NoAddressCode)
	case !slices.Contains([]Shutdown{ShutdownEnds, ShutdownHangs, ShutdownReverts}, b.GracefulStop):
		return b, fmt.Errorf("graceful_stop %q is none of %q, %q, %q", b.GracefulStop, ShutdownEnds, ShutdownHangs, ShutdownReverts)
	case b.TokenLifetimeSeconds < 0:
		return b, fmt.Errorf("token_lifetime_seconds %v is negative", b.TokenLifetimeSeconds)
	}
	return b, nil
}
