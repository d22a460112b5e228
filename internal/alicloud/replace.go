package alicloud

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// replace gives a machine a new system disk, made from an image, and lets it boot for
// the first time again: stop, first-boot data, disk, start. Where it stands is told by
// the machine itself: by its status, and by whether its system disk is another one.
type replace struct{}

func (replace) check(request machineops.OperationRequest) error {
	problems := []error{checkOperationRequest(request)}

	problems = append(problems, replacementOf(request).check(request))

	keeps := isTrue(request, ParameterKeepUserData)

	switch size := len(request.ReplaceUserData); {
	case keeps && size > 0:
		problems = append(problems, fmt.Errorf("%s was given first-boot data, and is told to keep what the machine has (%s)", request.Operation, ParameterKeepUserData))
	case size > largestUserData:
		problems = append(problems, fmt.Errorf("%s: the first-boot data has %d bytes, and ECS takes at most %d", request.Operation, size, largestUserData))
	}

	return errors.Join(problems...)
}

func (replace) satisfied(machineops.OperationRequest, ecs.Instance) bool { return false }

func (replace) earliest(ecs.Instance) time.Time { return time.Time{} }

// prepare looks at everything that ECS would refuse once the machine is stopped.
func (replace) prepare(ctx context.Context, o *operating, instance ecs.Instance) (string, error) {
	if err := o.needsUserData(); err != nil {
		return "", err
	}

	statuses := []ecs.InstanceStatus{ecs.InstanceStatusRunning, ecs.InstanceStatusStopped}
	if mayForce(o.request) {
		// A shutdown that hangs is ended as one of its own.
		statuses = append(statuses, ecs.InstanceStatusStopping)
	}

	if err := o.needs(instance, statuses...); err != nil {
		return "", err
	}

	disk, err := o.systemDisk(ctx)
	if err != nil {
		return "", err
	}

	image, err := o.findReplacement(ctx, instance)
	if err != nil {
		return "", err
	}

	return replaceMark{disk: diskMark(disk.ID), image: imageMark(image.ID), ran: instance.Status == ecs.InstanceStatusRunning}.encode(), nil
}

func (o *operating) needsUserData() error {
	if o.request.ReplaceUserData != "" || isTrue(o.request, ParameterKeepUserData) {
		return nil
	}

	return invalid(fmt.Errorf("%s of %s needs first-boot data, or %s = true", o.kind(), o.id, ParameterKeepUserData))
}

func (o *operating) systemDisk(ctx context.Context) (ecs.SystemDisk, error) {
	disk, found, err := o.client.SystemDisk(ctx, o.id.Region, o.id.ResourceID)

	switch {
	case err != nil:
		return ecs.SystemDisk{}, fmt.Errorf("looking at the system disk of %s: %w", o.id, err)
	case !found || disk.ID == "":
		// A caller who may not list disks gets an empty list.
		return ecs.SystemDisk{}, fmt.Errorf("ECS lists no system disk of %s; the permission for DescribeDisks may be lacking", o.id)
	}

	return disk, nil
}

func (replace) happened(ctx context.Context, o *operating, _ ecs.Instance, before string) (bool, error) {
	mark := decodeReplaceMark(before)
	if !mark.begun() {
		return false, nil
	}

	disk, err := o.systemDisk(ctx)

	return err == nil && diskMark(disk.ID) != mark.disk, err
}

// perform stops the machine, writes its first-boot data and has its disk replaced.
// Once stopped it is not left so: where ECS refuses the disk, it is started again.
func (replace) perform(ctx context.Context, o *operating, instance ecs.Instance, held intent) error {
	status, ran := instance.Status, decodeReplaceMark(held.before).ran
	keyPair := instance.KeyPairName

	err := o.needsUserData()

	var image ecs.Image
	if err == nil {
		image, err = o.findReplacement(ctx, instance)
	}

	if err == nil {
		err = o.noteImage(ctx, image)
	}

	if err == nil {
		if err := o.stopAndWait(ctx, instance); err != nil {
			return err
		}

		status = ecs.InstanceStatusStopped
		err = o.replaceDisk(ctx, held, image, keyPair)
	}

	return o.runAgain(ctx, status, ran, keepsItsDisk, err)
}

func (o *operating) replaceDisk(ctx context.Context, held intent, image ecs.Image, keyPair string) error {
	disk, err := o.systemDisk(ctx)
	if err != nil {
		return err
	}

	if !isTrue(o.request, ParameterKeepUserData) {
		if err := o.client.SetUserData(ctx, o.id.Region, o.id.ResourceID, o.request.ReplaceUserData); err != nil {
			return err
		}
	}

	_, err = o.client.ReplaceSystemDisk(ctx, ecs.ReplaceSystemDiskInput{
		Region:      o.id.Region,
		InstanceID:  o.id.ResourceID,
		ImageID:     image.ID,
		SizeGiB:     o.diskSize(disk, image),
		KeyPairName: keyPair,
		ClientToken: launchToken(o.key, held.uid, image.ID),
	})

	return err
}

// stopAndWait stops the machine, keeping its capacity, and returns when it is stopped.
func (o *operating) stopAndWait(ctx context.Context, instance ecs.Instance) error {
	since, asked := o.r.clock.Now(), false

	for instance.Status != ecs.InstanceStatusStopped {
		if instance.Status == ecs.InstanceStatusRunning && !asked {
			err := o.stop(ctx, isTrue(o.request, ParameterForce))
			if err != nil && ecs.ClassOf(err) != ecs.ClassConflict {
				return err
			}

			asked = err == nil
		}

		var err error
		if instance, err = o.lookLater(ctx); err != nil {
			return err
		}

		if instance.Status == ecs.InstanceStatusStopped {
			break
		}

		late, err := o.shutdownLate(ctx, instance, since)
		if err != nil {
			return err
		}

		if late != nil && late.State == machineops.ProviderOperationStateFailed {
			return &machineops.PermanentError{Reason: late.Reason, Err: errors.New(late.Message)}
		}
	}

	return nil
}

// lookLater looks at the machine after a while, which has to carry the operation's intent
// then.
func (o *operating) lookLater(ctx context.Context) (ecs.Instance, error) {
	if err := o.wait(ctx, nextLook(o.r.clock)); err != nil {
		return ecs.Instance{}, err
	}

	instance, err := o.observe(ctx)

	switch {
	case err != nil:
		return ecs.Instance{}, err
	case !o.isUnderWay():
		return ecs.Instance{}, fmt.Errorf("%s no longer carries the tag %s of this operation", o.id, tagOperation)
	}

	o.held = o.tag.current

	return instance, nil
}

func (r replace) look(ctx context.Context, o *operating, instance ecs.Instance, token operationToken) (machineops.PollResult, error) {
	replaced, err := r.happened(ctx, o, instance, token.Before)

	switch {
	case err != nil:
		return machineops.PollResult{}, err
	case !replaced || !o.hasImage(instance, decodeReplaceMark(token.Before)) || len(instance.LockReasons) > 0:
		return inProgress(v1alpha3.ReasonReplacing, "%s is %s, and its new system disk is not there yet%s", o.id, instance.Status, lockText(instance)), nil
	case instance.Status == ecs.InstanceStatusStopped:
		return o.startChanged(ctx, "has its new system disk")
	case instance.Status == ecs.InstanceStatusRunning:
		if err := o.rewriteFingerprint(ctx, instance); err != nil {
			return machineops.PollResult{}, err
		}

		return succeededWith("%s is Running from a new system disk, made from %s%s", o.id, o.madeFrom(instance), startedText(instance)), nil
	default:
		return inProgress(v1alpha3.ReasonReplacing, "%s has its new system disk, and is %s", o.id, instance.Status), nil
	}
}

// inherit keeps which disk the machine had before all that was cut off. Nothing of this
// operation has begun then.
func (replace) inherit(found intent, instance ecs.Instance) string {
	mark := replaceMark{ran: ranBefore(found, instance)}

	if found.kind == reinstallWord {
		of := decodeReplaceMark(found.before)
		mark.disk, mark.lost = of.disk, of.lost
	}

	return mark.encode()
}

func lockText(instance ecs.Instance) string {
	if len(instance.LockReasons) == 0 {
		return ""
	}

	return fmt.Sprintf(" (locked: %s)", strings.Join(instance.LockReasons, ", "))
}

// rewriteFingerprint makes the machine carry the fingerprint of the inputs that it now
// has, where the caller knows it.
func (o *operating) rewriteFingerprint(ctx context.Context, instance ecs.Instance) error {
	fingerprint := o.request.Parameters[v1alpha3.ParameterFingerprint]
	if fingerprint == "" || instance.Tags[tagFingerprint] == fingerprint {
		return nil
	}

	if err := o.client.TagInstances(ctx, o.id.Region, []string{o.id.ResourceID}, map[string]string{tagFingerprint: fingerprint}); err != nil {
		return fmt.Errorf("writing on %s which inputs it has now: %w", o.id, err)
	}

	return nil
}
