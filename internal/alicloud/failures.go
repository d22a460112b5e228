package alicloud

import (
	"context"
	"errors"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/credentials"
	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// operationError turns a failure into what machineops expects of a callback: a
// PermanentError with its reason where a repeat cannot help, else an ordinary error.
func operationError(err error) error {
	var (
		permanent *machineops.PermanentError
		blocked   *machineops.BlockedError
	)

	if err == nil || errors.As(err, &permanent) || errors.As(err, &blocked) || ended(err) {
		return err
	}

	reason := ""

	var refused *refusedError
	if errors.As(err, &refused) {
		reason = v1alpha3.ReasonRefused
	}

	switch ecs.ClassOf(err) {
	case ecs.ClassCapacity:
		reason = capacityReason(err)
	case ecs.ClassQuota:
		reason = v1alpha3.ReasonQuotaExceeded
	case ecs.ClassPermission:
		reason = v1alpha3.ReasonPermissionDenied
	case ecs.ClassCredentials, ecs.ClassUnreachable, ecs.ClassAccount:
		reason = callerReason(err)
	case ecs.ClassConfiguration:
		if reason == "" {
			reason = v1alpha3.ReasonInvalidConfiguration
		}
	case ecs.ClassTokenMismatch, ecs.ClassTokenBurned:
		reason = v1alpha3.ReasonTokenSpent
	default:
	}

	if reason == "" {
		return err
	}

	return &machineops.PermanentError{Reason: reason, Err: err}
}

// capacityReason says of what a capacity refusal is true.
func capacityReason(err error) string {
	const ofTheClass = ecs.ScopeDisk | ecs.ScopeSpot | ecs.ScopeHost

	var failure *ecs.Error

	switch {
	case slices.Contains(networkFullCodes(), codeOf(err)):
		return v1alpha3.ReasonNetworkFull
	case errors.As(err, &failure) && failure.Scopes&ofTheClass != 0:
		return v1alpha3.ReasonTermsNotOffered
	default:
		return v1alpha3.ReasonInsufficientCapacity
	}
}

// networkFullCodes are the refusals of a vSwitch that has no free address left
// (RunInstances; the page of the network cards has the second).
func networkFullCodes() []string {
	return []string{"QuotaExceeded.PrivateIpAddress", "InvalidVSwitchId.IpNotEnough", "OperationDenied.NoVlan"}
}

// ended reports whether the caller's context ended the work, whatever the last
// refusal before it was: that says nothing about a repeat.
func ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// callerReason says what is wrong with the caller, whatever it asks for: it has no
// credentials, they or its account are refused, or nothing is where the calls go. It is
// empty where none of these is so.
func callerReason(err error) string {
	switch ecs.ClassOf(err) {
	case ecs.ClassUnreachable:
		return v1alpha3.ReasonUnreachable
	case ecs.ClassAccount:
		return v1alpha3.ReasonRefused
	case ecs.ClassCredentials:
	default:
		return ""
	}

	switch {
	case codeOf(err) != "":
		return v1alpha3.ReasonCredentialsRefused
	case errors.Is(err, credentials.ErrNone):
		return v1alpha3.ReasonCredentialsMissing
	default:
		return v1alpha3.ReasonCredentialsUnavailable
	}
}

// driverError turns a failure into a coded driver error.
func driverError(err error) error {
	var coded *driver.Error
	if err == nil || errors.As(err, &coded) {
		return err
	}

	return &driver.Error{Code: driverCode(err), Err: err, Reason: callerReason(err)}
}

// unfollowed is told where a look failed, or a step that is left, while something is
// under way that ECS has accepted. Where it is the caller whom ECS refuses, be it for a
// permission, for the credentials or for the account, it is a *machineops.BlockedError.
func unfollowed(id driver.ProviderID, failure, told error) error {
	reason := ""

	switch ecs.ClassOf(failure) {
	case ecs.ClassPermission:
		reason = v1alpha3.ReasonPermissionDenied
	case ecs.ClassCredentials:
		// A source that gives nothing for a while is no refusal.
		if answered(failure) {
			reason = callerReason(failure)
		}
	case ecs.ClassAccount:
		reason = callerReason(failure)
	default:
	}

	if reason == "" || ended(failure) {
		return told
	}

	return &machineops.BlockedError{Reason: reason, ProviderID: id.String(), Err: told}
}

// answered reports whether a failure is the word of the API.
func answered(err error) bool {
	var failure *ecs.Error
	for errors.As(err, &failure) {
		if failure.Code != "" {
			return true
		}

		err = failure.Err
	}

	return false
}

// lookError is driverError for calls that look at machines. Its code is never
// CodeNotFound, which is kept for proven absence.
func lookError(err error) error {
	var coded *driver.Error
	if errors.As(driverError(err), &coded) && coded.Code == driver.CodeNotFound {
		return &driver.Error{Code: driver.CodeUnavailable, Err: err, Reason: coded.Reason}
	}

	return driverError(err)
}

func driverCode(err error) driver.Code {
	var (
		refused *refusedError
		failure *ecs.Error
	)

	switch {
	case errors.Is(err, context.Canceled):
		return driver.CodeCanceled
	case errors.Is(err, context.DeadlineExceeded):
		return driver.CodeDeadlineExceeded
	case errors.As(err, &refused):
		return driver.CodeFailedPrecondition
	case errors.As(err, &failure) && failure.UnknownRegion:
		return driver.CodeInvalidArgument
	}

	switch ecs.ClassOf(err) {
	case ecs.ClassCapacity, ecs.ClassQuota:
		return driver.CodeResourceExhausted
	case ecs.ClassPermission, ecs.ClassAccount:
		return driver.CodePermissionDenied
	case ecs.ClassCredentials:
		return driver.CodeUnauthenticated
	case ecs.ClassConfiguration:
		return driver.CodeInvalidArgument
	case ecs.ClassTokenMismatch:
		return driver.CodeAlreadyExists
	case ecs.ClassTokenBurned:
		return driver.CodeAborted
	case ecs.ClassGone:
		return driver.CodeNotFound
	case ecs.ClassTransient, ecs.ClassThrottled, ecs.ClassConflict, ecs.ClassTokenProcessing, ecs.ClassUnreachable, ecs.ClassUnknown:
		return driver.CodeUnavailable
	default:
		return driver.CodeInternal
	}
}

// codeOf returns the error code of ECS in err's chain; empty where there is none.
func codeOf(err error) string {
	var failure *ecs.Error
	if errors.As(err, &failure) {
		return failure.Code
	}

	return ""
}
