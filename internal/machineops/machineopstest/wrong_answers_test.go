package machineopstest_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/machineopstest"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func wrongOperation() []wrongRegistration {
	return []wrongRegistration{
		{"OperationsHaveOneEffect", "every Begin reboots", func(c *cloud, r *callbacks) {
			r.beginReboot = func(
				_ context.Context, request machineops.OperationRequest,
			) (machineops.BeginResult, error) {
				c.once(fmt.Sprint("reboot", c.count()), "reboot", hostID(request))

				return begun("reboot"), nil
			}
		}},
		{"OperationsHaveOneEffect", "it comes to no end", func(_ *cloud, r *callbacks) {
			r.pollReboot = func(
				context.Context, machineops.OperationRequest, machineops.ProviderOperation,
			) (machineops.PollResult, error) {
				return machineops.PollResult{State: machineops.ProviderOperationStateInProgress}, nil
			}
		}},
		{"OperationsTouchOnlyTheirHost", "all hosts reboot", func(c *cloud, r *callbacks) {
			r.beginReboot = func(
				_ context.Context, request machineops.OperationRequest,
			) (machineops.BeginResult, error) {
				for _, id := range c.hostIDs() {
					c.once(string(request.OperationUID)+id, "reboot", id)
				}

				return begun("reboot"), nil
			}
		}},
		{"OperationsTouchOnlyTheirHost", "a reboot reports an allocation", func(_ *cloud, r *callbacks) {
			r.pollReboot = func(
				context.Context, machineops.OperationRequest, machineops.ProviderOperation,
			) (machineops.PollResult, error) {
				return machineops.PollResult{
					State:  machineops.ProviderOperationStateSucceeded,
					Result: machineops.OperationResult{Allocation: &machineops.AllocationResult{}},
				}, nil
			}
		}},
		{"ReplaySafeOperationsCanBeRepeated", "the second time fails", func(c *cloud, r *callbacks) {
			r.powerOff = func(
				_ context.Context, request machineops.OperationRequest,
			) (machineops.OperationResult, error) {
				if !c.stop(hostID(request)) {
					return machineops.OperationResult{}, errors.New("the host is off")
				}

				return machineops.OperationResult{}, nil
			}
		}},
		{"CleanupCanBeRepeated", "the second time fails", func(_ *cloud, r *callbacks) {
			var cleaned atomic.Bool

			r.cleanAllocate = func(
				context.Context, machineops.OperationRequest, machineops.OperationResult,
			) error {
				if cleaned.Swap(true) {
					return errors.New("there is nothing to clean")
				}

				return nil
			}
		}},
		{"CleanupCanBeRepeated", "cleanup launches", func(c *cloud, r *callbacks) {
			r.cleanAllocate = func(
				context.Context, machineops.OperationRequest, machineops.OperationResult,
			) error {
				defer c.called()()

				c.record(machineopstest.ActionCreate, unboundedv1alpha3.OwnedResourceInstance, "h-0")

				return nil
			}
		}},
	}
}

// answering changes what the right Begin of an allocation answers.
func answering(
	change func(*cloud, machineops.OperationRequest, *machineops.BeginResult) error,
) func(*cloud, *callbacks) {
	return beginningWith(func(
		ctx context.Context, c *cloud, request machineops.OperationRequest,
	) (machineops.BeginResult, error) {
		result, err := c.beginAllocate(ctx, request)
		if err == nil {
			err = change(c, request, &result)
		}

		return result, err
	})
}

func wrongAnswers() []wrongRegistration {
	const rule = "AnswersAreWellFormed"

	type request = machineops.OperationRequest

	return []wrongRegistration{
		{rule, "an empty handle", answering(func(_ *cloud, _ request, r *machineops.BeginResult) error {
			r.Operation = machineops.ProviderOperation{}

			return nil
		})},
		{rule, "a negative pause of Begin", answering(func(_ *cloud, _ request, r *machineops.BeginResult) error {
			r.RequeueAfter = -1

			return nil
		})},
		{rule, "a negative pause of Poll", pollingInto(func(_ *cloud, _ request, r *machineops.PollResult) error {
			r.RequeueAfter = -1

			return nil
		})},
		{rule, "a handle that cannot be recorded", answering(
			func(_ *cloud, _ request, r *machineops.BeginResult) error {
				r.Operation.OperationID = "\xff"

				return nil
			})},
		{rule, "a state of its own", pollingInto(func(_ *cloud, _ request, r *machineops.PollResult) error {
			if r.State == machineops.ProviderOperationStateInProgress {
				r.State = "Booting"
			}

			return nil
		})},
	}
}

func wrongSecrets() []wrongRegistration {
	const rule = "SecretsStayInside"

	type request = machineops.OperationRequest

	return []wrongRegistration{
		{rule, "user data in the resume token", answering(
			func(_ *cloud, given request, r *machineops.BeginResult) error {
				r.Operation.ResumeToken = base64.StdEncoding.EncodeToString([]byte(given.Allocation.UserData))

				return nil
			})},
		{rule, "user data in the operation ID", answering(
			func(_ *cloud, given request, r *machineops.BeginResult) error {
				r.Operation.OperationID = given.Allocation.UserData

				return nil
			})},
		{rule, "user data in the message", answering(
			func(_ *cloud, given request, r *machineops.BeginResult) error {
				r.Message = "sent " + given.Allocation.UserData

				return nil
			})},
		{rule, "user data in an error", answering(
			func(_ *cloud, given request, _ *machineops.BeginResult) error {
				return &machineops.PermanentError{Err: fmt.Errorf("refused: %s", given.Allocation.UserData)}
			})},
		{rule, "user data in a panic", answering(
			func(_ *cloud, given request, _ *machineops.BeginResult) error { panic(given.Allocation.UserData) })},
		{rule, "user data in the log", answering(
			func(c *cloud, given request, _ *machineops.BeginResult) error {
				c.print(given.Allocation.UserData)

				return nil
			})},
		{rule, "a key in Poll's message", pollingInto(
			func(_ *cloud, given request, r *machineops.PollResult) error {
				r.Message = "as " + given.Auth.SecretData["key"]

				return nil
			})},
		{rule, "a key in Poll's reason", pollingInto(
			func(_ *cloud, given request, r *machineops.PollResult) error {
				r.Reason = given.Auth.SecretData["key"]

				return nil
			})},
		{rule, "a key in the result", pollingInto(
			func(_ *cloud, given request, r *machineops.PollResult) error {
				if r.Result.Allocation != nil {
					r.Result.Allocation.Image = given.Auth.SecretData["key"]
				}

				return nil
			})},
		{rule, "a key in an offering", func(c *cloud, r *callbacks) {
			r.resolve = func(
				ctx context.Context, class machineops.ClassRequest,
			) (machineops.ClassResolution, error) {
				resolution, err := c.resolveClass(ctx, class)
				for i := range resolution.Offerings {
					resolution.Offerings[i].Network = class.Auth.SecretData["key"]
				}

				return resolution, err
			}
		}},
		{rule, "a key in a reboot's result", func(_ *cloud, r *callbacks) {
			r.pollReboot = func(
				_ context.Context, given machineops.OperationRequest, _ machineops.ProviderOperation,
			) (machineops.PollResult, error) {
				return machineops.PollResult{
					State:  machineops.ProviderOperationStateSucceeded,
					Result: machineops.OperationResult{ProviderID: given.Auth.SecretData["key"]},
				}, nil
			}
		}},
	}
}
