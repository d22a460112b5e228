package alicloud

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// settleDisks has the data disks of an instance that is about to be released stay, where
// that is asked for, and returns what there is to tell of them. It makes no call where
// nothing is asked for.
func settleDisks(ctx context.Context, client *ecs.Client, request machineops.OperationRequest, id driver.ProviderID, instance ecs.Instance) (string, error) {
	switch {
	case isTrue(request, v1alpha3.ParameterRetainDisks):
		disks, err := retainDisks(ctx, client, id, instance)

		return toldOfDisks(disks), err
	case isTrue(request, v1alpha3.ParameterReportDisks):
		return reportedDisks(ctx, client, id, instance), machineops.Ended(ctx)
	default:
		return "", nil
	}
}

// retainDisks returns the data disks once ECS shows that all of them stay when the
// instance is released, but for those that cannot outlive one.
func retainDisks(ctx context.Context, client *ecs.Client, id driver.ProviderID, instance ecs.Instance) ([]ecs.InstanceDisk, error) {
	if lockedForSecurity(instance) {
		return nil, &refusedError{text: fmt.Sprintf("%s is locked for security reasons, and ECS deletes the disks of such a machine with it, whatever they are set to. Nothing was released; "+
			"have the lock taken off, or give the disks up (retain_disks_on_release = false, and apply), then destroy again", id)}
	}

	disks, err := disksToRetain(ctx, client, id, instance)
	if err != nil {
		return nil, err
	}

	going := goingWith(disks)
	if len(going) == 0 {
		return disks, nil
	}

	if err := client.KeepDisks(ctx, id.Region, going); err != nil {
		return nil, keepError(id, going, err)
	}

	if disks, err = disksToRetain(ctx, client, id, instance); err != nil {
		return nil, err
	}

	if going = goingWith(disks); len(going) > 0 {
		return nil, fmt.Errorf("ECS has accepted that the data disks of %s stay, and does not show it of %s; nothing was released", id, strings.Join(going, ", "))
	}

	return disks, nil
}

// disksToRetain returns the data disks of an instance that is not released without them
// having been seen.
func disksToRetain(ctx context.Context, client *ecs.Client, id driver.ProviderID, instance ecs.Instance) ([]ecs.InstanceDisk, error) {
	disks, shown, err := dataDisks(ctx, client, id, instance)

	switch {
	case err != nil:
		return nil, fmt.Errorf("looking at the data disks of %s, which was not released: %w", id, err)
	case !shown:
		return nil, &machineops.PermanentError{
			Reason: v1alpha3.ReasonPermissionDenied,
			Err: fmt.Errorf("DescribeDisks in %s shows no disk of %s, not even its system disk, as to credentials that may not list disks. "+
				"Which data disks there are to keep is not known, so it was not released", id.Region, id),
		}
	default:
		return disks, nil
	}
}

// dataDisks returns the data disks of an instance in the order of their devices. Every
// instance has a disk, so that a list without any says that the caller may not see them,
// which is false. One that carries the mark of a release was seen with its disks before it
// was marked, and may have lost them since.
func dataDisks(ctx context.Context, client *ecs.Client, id driver.ProviderID, instance ecs.Instance) ([]ecs.InstanceDisk, bool, error) {
	disks, err := client.DisksOf(ctx, id.Region, id.ResourceID)
	shown := len(disks) > 0 || marked(instance.Tags, tagReleasing)

	return slices.DeleteFunc(inMachineOrder(disks), func(disk ecs.InstanceDisk) bool { return disk.System }), shown, err
}

// keepError is a refusal to let disks stay. What ECS says of the disks themselves no
// repeat helps with.
func keepError(id driver.ProviderID, disks []string, err error) error {
	if ecs.ClassOf(err) != ecs.ClassConfiguration {
		return fmt.Errorf("keeping the data disks %s of %s, which was not released: %w", strings.Join(disks, ", "), id, err)
	}

	return &refusedError{err: err, text: fmt.Sprintf("ECS does not let the data disks %s outlive %s. Nothing was released; detach those that are to be kept, "+
		"or give them up (retain_disks_on_release = false, and apply), then destroy again", strings.Join(disks, ", "), id)}
}

// goingWith names the disks that go with their instance and need not.
func goingWith(disks []ecs.InstanceDisk) []string {
	var ids []string

	for _, disk := range disks {
		if disk.DeletedWithInstance && mayStay(disk) {
			ids = append(ids, disk.ID)
		}
	}

	return ids
}

// mayStay reports whether a disk can outlive its instance, which local and ephemeral
// ones cannot (RunInstances and ModifyDiskAttribute, DeleteWithInstance).
func mayStay(disk ecs.InstanceDisk) bool {
	return !slices.ContainsFunc([]string{ephemeralCategory, "ephemeral", "local_"}, func(prefix string) bool {
		return strings.HasPrefix(disk.Category, prefix)
	})
}

// lockedForSecurity reports whether the instance has the lock with which ECS releases its
// disks together with it, whatever they are set to (ModifyDiskAttribute, DeleteInstances).
func lockedForSecurity(instance ecs.Instance) bool {
	return slices.ContainsFunc(instance.LockReasons, func(reason string) bool { return lockReason(reason) == driver.PhaseReasonSecurity })
}

// reportedDisks is what there is to tell of disks that stay by themselves. It is only
// told: what cannot be looked up keeps no machine from being released.
func reportedDisks(ctx context.Context, client *ecs.Client, id driver.ProviderID, instance ecs.Instance) string {
	if lockedForSecurity(instance) {
		return fmt.Sprintf("%s was locked for security reasons, and ECS deletes the disks of such a machine with it, whatever they are set to.", id)
	}

	disks, shown, err := dataDisks(ctx, client, id, instance)

	switch {
	case err != nil:
		return fmt.Sprintf("Which of its data disks stay could not be looked up: %s.", strings.TrimSuffix(err.Error(), "."))
	case !shown:
		return "Which of its data disks stay is not known: DescribeDisks shows these credentials none."
	default:
		return toldOfDisks(slices.DeleteFunc(disks, func(disk ecs.InstanceDisk) bool { return disk.DeletedWithInstance }))
	}
}

// disksOfGone is what there is to tell of the disks of an instance that was gone before
// its release could see to them.
func disksOfGone(request machineops.OperationRequest, id driver.ProviderID) string {
	if !isTrue(request, v1alpha3.ParameterRetainDisks) {
		return ""
	}

	return fmt.Sprintf("%s was gone already: whether its data disks are still there is not known.", id)
}

// toldOfDisks names the disks that stay, and those that cannot.
func toldOfDisks(disks []ecs.InstanceDisk) string {
	var stay, gone []string

	for _, disk := range disks {
		text := fmt.Sprintf("%s (%d GiB, %s)", disk.ID, disk.SizeGiB, disk.Category)

		if mayStay(disk) {
			stay = append(stay, text)
		} else {
			gone = append(gone, text)
		}
	}

	var told []string

	if len(stay) > 0 {
		told = append(told, "These data disks stay: "+strings.Join(stay, ", ")+".")
	}

	if len(gone) > 0 {
		told = append(told, "These cannot outlive their machine and went with it: "+strings.Join(gone, ", ")+".")
	}

	return strings.Join(told, " ")
}
