package ecs

import (
	"errors"
	"fmt"
	"strings"
)

// Class says what kind of failure an error is, and so what can be done about it.
type Class string

// The classes.
const (
	// ClassCapacity: not to be had here now; Error.Scopes says where else it may be.
	ClassCapacity Class = "capacity"
	// ClassTransient: the same request may succeed later.
	ClassTransient Class = "transient"
	// ClassThrottled: refused for the rate of calls, without effect.
	ClassThrottled Class = "throttled"
	// ClassGone: the thing that the call names does not exist.
	ClassGone Class = "gone"
	// ClassConflict: a thing is not in the state that the call needs.
	ClassConflict Class = "conflict"
	// ClassQuota: a limit of the account is reached.
	ClassQuota Class = "quota"
	// ClassAccount: payment, real-name registration, risk control, locks.
	ClassAccount Class = "account"
	// ClassPermission: the caller is known and not allowed.
	ClassPermission Class = "permission"
	// ClassCredentials: the caller could not be identified.
	ClassCredentials Class = "credentials"
	// ClassConfiguration: the request is wrong and stays so.
	ClassConfiguration Class = "configuration"
	// ClassTokenMismatch: the ClientToken was used with other parameters before.
	ClassTokenMismatch Class = "token mismatch"
	// ClassTokenBurned: an earlier call with the ClientToken failed for good.
	ClassTokenBurned Class = "token burned"
	// ClassTokenProcessing: an earlier call with the ClientToken still runs.
	ClassTokenProcessing Class = "token processing"
	// ClassDryRunOK: a dry run found nothing against the request.
	ClassDryRunOK Class = "dry run passed"
	// ClassUnreachable: nothing that answers is where the call went, or nothing that is
	// to be trusted.
	ClassUnreachable Class = "unreachable"
	// ClassUnknown: none of these, or not a failure of a call.
	ClassUnknown Class = "unknown"
)

// Scope is a set of the dimensions in which another choice may succeed.
type Scope uint8

// The scopes.
const (
	// ScopeZone: another zone or vSwitch.
	ScopeZone Scope = 1 << iota
	// ScopeType: another instance type.
	ScopeType
	// ScopeDisk: another disk category or performance level.
	ScopeDisk
	// ScopeSpot: a higher bid, or on demand.
	ScopeSpot
	// ScopeHost: another dedicated host, private pool, storage cluster or
	// deployment set.
	ScopeHost
)

// Has reports whether all of other is in the set.
func (s Scope) Has(other Scope) bool { return other != 0 && s&other == other }

// String lists the set's members, e.g. "zone+type".
func (s Scope) String() string {
	var names []string
	for index, name := range []string{"zone", "type", "disk", "spot", "host"} {
		if s&(1<<index) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

// Error is a call that failed. No field holds a secret: texts that came from the
// server or the transport were scrubbed.
type Error struct {
	Action string
	Region string
	// Code is the API's error code; empty if no answer of the API was received.
	Code string
	// Status is the HTTP status; 0 if no answer was received.
	Status    int
	RequestID string
	Message   string
	Class     Class
	// Scopes says where else the request may succeed.
	Scopes Scope
	// Ambiguous is set if this attempt, or an earlier one of the same method
	// call, may have taken effect although no answer said so. Reads never are.
	Ambiguous bool
	// Recommend is the vendor's page on the failure.
	Recommend string
	// AccessDenied tells which permission is missing, as far as the API says.
	AccessDenied string
	// UnknownRegion is set where nobody knows the name that the endpoint of the region would
	// have, nor this version such a region.
	UnknownRegion bool
	// Err is the cause on this side of the wire, if there is one.
	Err error
	// unreachable is set where no connection came about at all, foreign where something
	// answered that is not the API.
	unreachable, foreign bool
}

// Error tells action, region, code, status, message and request ID.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.Action)
	if e.Region != "" {
		fmt.Fprintf(&text, " in %s", e.Region)
	}
	text.WriteString(": ")
	var parts []string
	switch {
	case e.Code != "" && e.Status != 0:
		parts = append(parts, fmt.Sprintf("%s (HTTP %d)", e.Code, e.Status))
	case e.Code != "":
		parts = append(parts, e.Code)
	case e.Status != 0:
		parts = append(parts, fmt.Sprintf("HTTP %d", e.Status))
	}
	message := e.Message
	if e.AccessDenied != "" {
		message = strings.TrimSuffix(message, ".")
	}
	for _, part := range []string{message, e.AccessDenied} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	if len(parts) == 0 {
		parts = append(parts, "failed")
	}
	text.WriteString(strings.Join(parts, ": "))
	if e.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", e.RequestID)
	}
	return text.String()
}

// Refused returns what the API said, without what it was asked for, and the ID of the
// request; both are empty where it said nothing.
func (e *Error) Refused() (said, requestID string) {
	if e.Code == "" {
		return "", ""
	}
	said = e.Code
	if e.Status != 0 {
		said += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		said += ": " + strings.TrimSuffix(e.Message, ".")
	}
	return said, e.RequestID
}

// Unwrap returns the cause on this side of the wire.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of the first Error in the chain of err, and
// ClassUnknown if there is none.
func ClassOf(err error) Class {
	var failure *Error
	if errors.As(err, &failure) && failure.Class != "" {
		return failure.Class
	}
	return ClassUnknown
}

// ErrTooManyMatches is in the chain of an error of InstancesByTags when more
// instances match than a tag filter of the API is correct for.
var ErrTooManyMatches = errors.New("more than 1000 instances match the tags, which is more than a tag filter is correct for")

// invalidRequest is a request that is refused before anything is sent.
func invalidRequest(action, region, format string, arguments ...any) *Error {
	return &Error{Action: action, Region: region, Class: ClassConfiguration, Err: fmt.Errorf(format, arguments...)}
}

// gaveUpError is a call whose context ended before it succeeded. It wraps what
// ended it and the last real failure.
type gaveUpError struct {
	text  string
	cause error
	last  error
}

func (e *gaveUpError) Error() string { return e.text }

func (e *gaveUpError) Unwrap() []error {
	if e.last == nil {
		return []error{e.cause}
	}
	return []error{e.cause, e.last}
}
