package alicloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// beginRelease deletes the instances that the allocation owns, and nothing else. A
// machine under another's claim is left alone. It returns when ECS has accepted each
// deletion, or said that the instance does not exist. Data disks that are to stay were
// seen to be such by then.
func (r *registration) beginRelease(ctx context.Context, request machineops.OperationRequest) (machineops.BeginResult, error) {
	if request.Allocation == nil {
		return machineops.BeginResult{}, invalid(errors.New("the request has no allocation"))
	}

	owned, err := ownedInstances(request.Allocation)
	if err != nil {
		return machineops.BeginResult{}, invalid(err)
	}

	var token resumeToken

	for _, id := range owned {
		client, err := r.plugin.NewECSClient(secretOf(request.Auth), id.Region)
		if err != nil {
			return machineops.BeginResult{}, operationError(err)
		}

		var disks string

		gone, err := releaseInstance(ctx, client, id, func(instance ecs.Instance) (err error) {
			disks, err = r.beforeRelease(ctx, client, request, id, instance)

			return err
		})
		if err != nil {
			return machineops.BeginResult{}, operationError(r.endShutdown(ctx, client, request, id, err))
		}

		if gone {
			disks = disksOfGone(request, id)
		} else {
			token.Releasing = append(token.Releasing, id.String())
		}

		if disks != "" {
			token.Disks = append(token.Disks, disks)
		}
	}

	token.AnsweredAt = r.clock.Now().UTC()

	encoded, err := token.encode()
	if err != nil {
		return machineops.BeginResult{}, err
	}

	result := machineops.BeginResult{
		Operation: machineops.ProviderOperation{OperationID: string(request.OperationUID), ResumeToken: encoded},
		Message:   releaseMessage(token.Releasing),
	}

	if len(token.Releasing) > 0 {
		result.RequeueAfter = r.releases.nextLook(r.clock, token.Releasing[0], token.AnsweredAt)
	}

	return result, nil
}

func releaseMessage(releasing []string) string {
	if len(releasing) == 0 {
		return "no machine of the allocation exists"
	}

	return fmt.Sprintf("the release of %s was accepted", strings.Join(releasing, " and "))
}

// releaseInstance has one instance deleted and returns when ECS has accepted that;
// true where ECS says that the instance does not exist. Nothing is deleted that
// admit, which sees the instance first, returns an error for. An instance that is
// not listed could not be shown to admit, so it is not deleted either.
func releaseInstance(ctx context.Context, client *ecs.Client, id driver.ProviderID, admit func(ecs.Instance) error) (bool, error) {
	instances, err := client.InstancesByID(ctx, id.Region, []string{id.ResourceID})
	if err != nil {
		return false, fmt.Errorf("looking at %s: %w", id, err)
	}

	instance, listed := instances[id.ResourceID]
	if !listed {
		if err := proveReleased(ctx, client, id); err != nil {
			return false, err
		}

		return true, nil
	}

	return false, deleteListed(ctx, client, id, instance, admit)
}

// deleteListed has a listed instance deleted, unless admit or what it is forbids it.
func deleteListed(ctx context.Context, client *ecs.Client, id driver.ProviderID, instance ecs.Instance, admit func(ecs.Instance) error) error {
	if err := admit(instance); err != nil {
		return err
	}

	switch {
	case instance.DeletionProtection:
		return protectedError(id, nil)
	case instance.ChargeType == prePaid:
		return subscriptionError(id, nil)
	}

	err := client.DeleteInstances(ctx, id.Region, []string{id.ResourceID})

	switch codeOf(err) {
	case "InvalidOperation.DeletionProtection", "OperationDenied.DeletionProtection":
		return protectedError(id, err)
	case "ChargeTypeViolation":
		return subscriptionError(id, err)
	}

	if err != nil {
		return fmt.Errorf("releasing %s: %w", id, err)
	}

	return nil
}

// refusedError is a release that ECS refuses until somebody acts on the machine.
type refusedError struct {
	text string
	err  error
}

// Error names the machine, what to do, and what ECS said where it was asked.
func (e *refusedError) Error() string {
	if e.err == nil {
		return e.text
	}

	return e.text + ": " + e.err.Error()
}

// Unwrap returns the refusal of ECS; nil where ECS was not asked.
func (e *refusedError) Unwrap() error { return e.err }

func protectedError(id driver.ProviderID, err error) error {
	return &refusedError{err: err, text: fmt.Sprintf("%s is protected against deletion; switch its deletion protection off, then destroy again (deletion_protection = false, and apply)", id)}
}

func subscriptionError(id driver.ProviderID, err error) error {
	return &refusedError{err: err, text: fmt.Sprintf("%s is a subscription, which ECS releases only at its end; change its billing method to pay-as-you-go, then destroy again", id)}
}

// fence refuses to delete a machine that somebody else has claimed. A claim that
// was stripped is nobody's.
func fence(request machineops.OperationRequest, id driver.ProviderID, instance ecs.Instance) error {
	if !another(instance.Tags[tagClaim], request.Parameters[v1alpha3.ParameterClaim]) || safeguard.Missing(safeguard.Fence) {
		return nil
	}

	return &machineops.PermanentError{
		Reason: v1alpha3.ReasonTaken,
		Err:    fmt.Errorf("%s carries the claim of another run, which has taken it over; it was left alone", id),
	}
}

// ownedInstances returns the instances among the owned resources, which are all that
// a release may act on.
func ownedInstances(allocation *machineops.AllocationRequest) ([]driver.ProviderID, error) {
	var ids []driver.ProviderID

	for _, owned := range allocation.OwnedResources {
		if owned.Kind != v1alpha3.OwnedResourceInstance {
			// To release the machine alone would be to forget this.
			return nil, fmt.Errorf("owned resources: this version releases no %s, such as %s", owned.Kind, owned.ID)
		}

		id, err := parseProviderID(providerID(owned.Region, owned.ID), "")
		if err != nil {
			return nil, fmt.Errorf("owned resources: %w", err)
		}

		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}

	return ids, nil
}

// pollRelease looks whether the instances are gone.
func (r *registration) pollRelease(ctx context.Context, request machineops.OperationRequest, operation machineops.ProviderOperation) (machineops.PollResult, error) {
	token, err := decodeResumeToken(operation.ResumeToken)
	if err != nil {
		return machineops.PollResult{}, err
	}

	if token.InstanceID != "" {
		return machineops.PollResult{}, invalid(fmt.Errorf("the resume token is that of the launch of %s, and of no release", token.InstanceID))
	}

	var ids []driver.ProviderID

	for _, machine := range token.Releasing {
		id, err := parseProviderID(machine, "")
		if err != nil {
			return machineops.PollResult{}, invalid(fmt.Errorf("reading the resume token: %w", err))
		}

		ids = append(ids, id)
	}

	for _, id := range ids {
		client, err := r.plugin.NewECSClient(secretOf(request.Auth), id.Region)
		if err != nil {
			return machineops.PollResult{}, err
		}

		phase, gone, err := lookAtReleased(ctx, client, id)

		switch {
		case err != nil:
			return machineops.PollResult{}, unfollowed(id, err, lookError(err))
		case gone:
			r.releases.note(r.clock, id.String(), token.AnsweredAt)

			continue
		}

		return machineops.PollResult{
			State:        machineops.ProviderOperationStateInProgress,
			Result:       machineops.OperationResult{ProviderID: id.String()},
			Reason:       v1alpha3.ReasonReleasing,
			Message:      fmt.Sprintf("%s is being released (%s)", id, phase),
			RequeueAfter: r.releases.nextLook(r.clock, id.String(), token.AnsweredAt),
		}, nil
	}

	return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded, Message: strings.Join(token.Disks, " ")}, nil
}

// lookAtReleased reports whether an instance is gone whose deletion was accepted. It
// was listed before that, and ECS said yes to its end, so that a list which does not
// hold it any more is proof as soon as the caller is known to be shown lists: both
// looks are shared by all that wait. Only where nothing is known of a machine but its
// ID does it take ECS's own word that there is none.
func lookAtReleased(ctx context.Context, client *ecs.Client, id driver.ProviderID) (driver.MachinePhase, bool, error) {
	instances, err := client.InstancesByID(ctx, id.Region, []string{id.ResourceID})
	if err != nil {
		return "", false, fmt.Errorf("looking at %s: %w", id, err)
	}

	if instance, listed := instances[id.ResourceID]; listed {
		return phaseOf(instance), false, nil
	}

	return "", true, provePermission(ctx, client, id.Region, id.String())
}
