package alicloud

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// The parameters of operations on machines.
const (
	// ParameterForce set to "true" cuts or resets the power, and data that is not yet
	// written may be lost. Otherwise the operating system is asked to shut down.
	ParameterForce = "force"
	// ParameterGracefulTimeout is how long the operating system may take to shut down,
	// as a Go duration. Without it the operation's own deadline is the bound.
	ParameterGracefulTimeout = "graceful_timeout"
	// ParameterForceAfterTimeout set to "true" cuts the power after graceful_timeout.
	// Otherwise the operation fails then.
	ParameterForceAfterTimeout = "force_after_timeout"
	// ParameterStoppedMode is KeepCharging or StopCharging (StopInstance,
	// "StoppedMode"); without it the account's setting decides.
	ParameterStoppedMode = "stopped_mode"
	// ParameterImageID is the image of the new system disk.
	ParameterImageID = "image_id"
	// ParameterImageFamily is the family of which the new system disk gets the newest
	// image.
	ParameterImageFamily = "image_family"
	// ParameterSystemDiskSize is the size of the new system disk in GiB. Without it the
	// disk keeps its size, or gets the image's where that is larger.
	ParameterSystemDiskSize = "system_disk_size_gib"
	// ParameterKeepUserData set to "true" leaves the first-boot data as it is.
	ParameterKeepUserData = v1alpha3.ParameterKeepUserData
	// ParameterConsoleOutput set to "true" adds the end of the machine's console to the
	// error of an operation that fails. It is read by whoever reports the error.
	ParameterConsoleOutput = v1alpha3.ParameterConsoleOutput
)

// The values of ParameterStoppedMode.
const (
	keepCharging = "KeepCharging"
	stopCharging = "StopCharging"
)

// largestSystemDisk is in GiB (ReplaceSystemDisk, "SystemDisk.Size").
const largestSystemDisk = 2048

// leastGracefulTimeout leaves the guest time to hear of the shutdown.
const leastGracefulTimeout = time.Second

// checkOperationRequest refuses what the operation does not take, before any call.
func checkOperationRequest(request machineops.OperationRequest) error {
	return checkParameters(request, handedParameters(request.Operation), nil)
}

// checkParameters refuses the parameters that neither the user may give nor are handed
// on beside them, and values that mean nothing. The undecided ones have no value yet,
// and may turn out not to be given.
func checkParameters(request machineops.OperationRequest, handed, undecided []string) error {
	allowed, known := operationParameters()[request.Operation]
	if !known {
		return fmt.Errorf("%s is no operation on a machine", request.Operation)
	}

	var problems []error

	for _, name := range slices.Sorted(maps.Keys(request.Parameters)) {
		if !slices.Contains(allowed, name) && !slices.Contains(handed, name) {
			problems = append(problems, fmt.Errorf("%s takes no parameter %q; it takes %s", request.Operation, name, strings.Join(allowed, ", ")))
		} else if err := checkParameterValue(name, request.Parameters[name]); err != nil {
			problems = append(problems, fmt.Errorf("%s: the parameter %s is %w", request.Operation, name, err))
		}
	}

	if slices.Contains(allowed, ParameterGracefulTimeout) {
		problems = append(problems, checkTogether(request, undecided))
	}

	return errors.Join(problems...)
}

// operationParameters are what each kind takes of the user.
func operationParameters() map[v1alpha3.OperationKind][]string {
	shutdown := []string{ParameterForce, ParameterForceAfterTimeout, ParameterGracefulTimeout}

	return map[v1alpha3.OperationKind][]string{
		v1alpha3.OperationHostPowerOn:  {ParameterConsoleOutput},
		v1alpha3.OperationHostPowerOff: append([]string{ParameterConsoleOutput, ParameterStoppedMode}, shutdown...),
		v1alpha3.OperationHostReboot:   {ParameterConsoleOutput, ParameterForce},
		v1alpha3.OperationHostReplace:  append([]string{ParameterConsoleOutput, ParameterImageFamily, ParameterImageID, ParameterSystemDiskSize}, shutdown...),
	}
}

// handedParameters are handed on by the provider and by lifecycle, and are not among the
// parameters that a user may give.
func handedParameters(kind v1alpha3.OperationKind) []string {
	handed := []string{
		v1alpha3.ParameterOperationID, v1alpha3.ParameterRepeatable, v1alpha3.ParameterFingerprint, v1alpha3.ParameterInstanceTypes,
		v1alpha3.ParameterOfAllocation, v1alpha3.ParameterTakeBack, v1alpha3.ParameterGivenUp, v1alpha3.ParameterLeaveStopped,
		v1alpha3.ParameterHandsOver,
	}

	if kind == v1alpha3.OperationHostReplace {
		handed = append(handed, ParameterKeepUserData)
	}

	return handed
}

func checkParameterValue(name, value string) error {
	switch name {
	case ParameterForce, ParameterForceAfterTimeout, ParameterKeepUserData, ParameterConsoleOutput:
		return oneOfValues(value, "true", "false")
	case ParameterStoppedMode:
		return oneOfValues(value, keepCharging, stopCharging)
	case ParameterGracefulTimeout:
		if d, err := time.ParseDuration(value); err != nil || d < leastGracefulTimeout {
			return fmt.Errorf("a duration of at least %s, such as 5m, and not %q", leastGracefulTimeout, value)
		}
	case ParameterSystemDiskSize:
		if size, err := strconv.ParseInt(value, 10, 64); err != nil || size < 1 || size > largestSystemDisk {
			return fmt.Errorf("a number of GiB of at most %d, and not %q", largestSystemDisk, value)
		}
	case ParameterImageID:
		if strings.TrimSpace(value) != value || value == "" {
			return fmt.Errorf("the ID of an image, and not %q", value)
		}
	case ParameterImageFamily:
		if strings.TrimSpace(value) != value || value == "" {
			return fmt.Errorf("the name of an image family, and not %q", value)
		}
	}

	return nil
}

func oneOfValues(value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}

	return fmt.Errorf("one of %s, and not %q", strings.Join(choices, ", "), value)
}

// checkTogether refuses parameters that contradict each other.
func checkTogether(request machineops.OperationRequest, undecided []string) error {
	given := func(name string) bool { return request.Parameters[name] != "" }

	switch {
	case isTrue(request, ParameterForce) && (given(ParameterGracefulTimeout) || given(ParameterForceAfterTimeout)):
		return fmt.Errorf("%s: with %s = true nothing is asked to shut down, so %s and %s have no meaning",
			request.Operation, ParameterForce, ParameterGracefulTimeout, ParameterForceAfterTimeout)
	case isTrue(request, ParameterForceAfterTimeout) && !given(ParameterGracefulTimeout) && !slices.Contains(undecided, ParameterGracefulTimeout):
		return fmt.Errorf("%s: %s = true needs %s, after which the power is cut", request.Operation, ParameterForceAfterTimeout, ParameterGracefulTimeout)
	default:
		return nil
	}
}

func isTrue(request machineops.OperationRequest, name string) bool {
	return request.Parameters[name] == "true"
}

// gracefulTimeout is the bound of a shutdown; 0 where there is none.
func gracefulTimeout(request machineops.OperationRequest) time.Duration {
	// It was checked.
	d, _ := time.ParseDuration(request.Parameters[ParameterGracefulTimeout])

	return d
}
