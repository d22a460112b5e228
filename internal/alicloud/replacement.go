package alicloud

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// imageAvailable is the status of an image that machines can be made from.
const imageAvailable = "Available"

// replacementImage is the image of a new system disk as the request names it: by its
// ID, or by its family, of which it is the newest at the time.
type replacementImage struct{ id, family string }

func replacementOf(request machineops.OperationRequest) replacementImage {
	named := replacementImage{id: request.Parameters[ParameterImageID], family: request.Parameters[ParameterImageFamily]}
	if named == (replacementImage{}) {
		named.id = request.HostImage
	}

	return named
}

func (i replacementImage) check(request machineops.OperationRequest) error {
	switch {
	case i == replacementImage{}:
		return fmt.Errorf("%s needs the parameter %s, the image of the new system disk, or %s", request.Operation, ParameterImageID, ParameterImageFamily)
	case i.id != "" && i.family != "":
		return fmt.Errorf("%s: %s and %s exclude each other", request.Operation, ParameterImageID, ParameterImageFamily)
	default:
		return nil
	}
}

// String names it in a sentence.
func (i replacementImage) String() string {
	if i.family != "" {
		return "the image of the family " + i.family
	}

	return "the image " + i.id
}

// find returns the image; one that there is none of is an error.
func (i replacementImage) find(ctx context.Context, client *ecs.Client, region string) (ecs.Image, error) {
	var (
		image ecs.Image
		found bool
		err   error
	)

	if i.family != "" {
		image, found, err = client.ImageFromFamily(ctx, region, i.family)
	} else {
		var images []ecs.Image
		if images, err = client.Images(ctx, region, []string{i.id}); len(images) > 0 {
			image, found = images[0], true
		}
	}

	switch {
	case err != nil:
		return ecs.Image{}, fmt.Errorf("looking at %s: %w", i, err)
	case !found:
		return ecs.Image{}, invalid(fmt.Errorf("%s does not exist in the region %s, or these credentials may not see it", i, region))
	default:
		return image, nil
	}
}

// checkImageFits refuses an image that no machine can be made from now, that a machine of
// the type cannot have, or that does not fit on the disk that is asked for, and tells all of
// it. What is not known is not held against it.
func checkImageFits(request machineops.OperationRequest, image ecs.Image, processor ecs.InstanceType) error {
	var problems []error

	if !launchable(image.Status) {
		problems = append(problems, fmt.Errorf("the image %s is %s, and has to be %s", image.ID, image.Status, imageAvailable))
	}

	if built, runs := architecture(image.Architecture), architecture(processor.CPUArchitecture); !runsOn(built, runs) {
		problems = append(problems, fmt.Errorf("the image %s is of the architecture %s, and the machine is of the type %s (%s)", image.ID, built, processor.ID, runs))
	}

	if wanted := wantedDiskSize(request); wanted > 0 && wanted < image.SizeGiB {
		problems = append(problems, fmt.Errorf("the image %s needs a system disk of %d GiB, and %s asks for %d", image.ID, image.SizeGiB, ParameterSystemDiskSize, wanted))
	}

	if err := errors.Join(problems...); err != nil {
		return invalid(err)
	}

	return nil
}

// wantedDiskSize is the size of the new disk that is asked for; 0 where none is.
func wantedDiskSize(request machineops.OperationRequest) int64 {
	// It was checked.
	size, _ := strconv.ParseInt(request.Parameters[ParameterSystemDiskSize], 10, 64)

	return size
}

// diskSize is the size of the new disk: the one that is asked for, or else what the
// machine had, or the image needs.
func (o *operating) diskSize(disk ecs.SystemDisk, image ecs.Image) int64 {
	if wanted := wantedDiskSize(o.request); wanted > 0 {
		return wanted
	}

	return max(disk.SizeGiB, image.SizeGiB)
}

// findReplacement returns the image of the new disk once it was seen to fit the
// machine. Of a family it stays the one that was found first.
func (o *operating) findReplacement(ctx context.Context, instance ecs.Instance) (ecs.Image, error) {
	if o.image != nil {
		return *o.image, nil
	}

	image, err := replacementOf(o.request).find(ctx, o.client, o.id.Region)
	if err != nil {
		return ecs.Image{}, err
	}

	types, err := o.r.resolver.types.known(ctx, o.client, o.id.Region, []string{instance.Type})
	if err != nil {
		return ecs.Image{}, fmt.Errorf("looking at the instance type %s: %w", instance.Type, err)
	}

	if err := checkImageFits(o.request, image, types[instance.Type]); err != nil {
		return ecs.Image{}, err
	}

	o.image = &image

	return image, nil
}

// replaceMark is what the intent of a replacement says of before and after.
type replaceMark struct {
	// disk and image are which disk the machine had, and which image the new one is made
	// from, each in few characters. There is no image, and the disk is the one before all
	// that was cut off, as long as the replacement only takes another's place.
	disk, image string
	// ran means that the machine ran before.
	ran bool
	// lost means that the disk from before all that was cut off is gone.
	lost bool
}

const (
	ranFlag  = "r"
	lostFlag = "l"
)

// begun reports whether the disk may have been asked for.
func (m replaceMark) begun() bool { return m.image != "" }

func (m replaceMark) encode() string {
	var flags string
	if m.ran {
		flags += ranFlag
	}

	if m.lost {
		flags += lostFlag
	}

	return strings.Join([]string{m.disk, m.image, flags}, ".")
}

func decodeReplaceMark(before string) replaceMark {
	_, rest, _ := cutForced(before)
	disk, rest, _ := strings.Cut(rest, ".")
	image, flags, _ := strings.Cut(rest, ".")

	return replaceMark{disk: disk, image: image, ran: strings.Contains(flags, ranFlag), lost: strings.Contains(flags, lostFlag)}
}

// losesOn reports whether the disk from before all that was cut off is gone, where the
// machine has this one.
func (m replaceMark) losesOn(disk ecs.SystemDisk) bool {
	return m.lost || (m.disk != "" && m.disk != diskMark(disk.ID))
}

// markOf tells a disk, or an image, from another in few characters.
func markOf(kind, id string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + id))

	return base64.RawURLEncoding.EncodeToString(sum[:])[:keyLength]
}

func diskMark(id string) string { return markOf("disk", id) }

func imageMark(id string) string { return markOf("image", id) }

// noteImage has the intent tell which image the new disk is made from. It tells another
// one where an earlier run was cut off, and the family has a newer image since.
func (o *operating) noteImage(ctx context.Context, image ecs.Image) error {
	if o.held == nil {
		return errors.New("the machine does not carry the operation's intent")
	}

	mark := decodeReplaceMark(o.held.before)
	if mark.image == imageMark(image.ID) {
		return nil
	}

	now := mark
	now.image = imageMark(image.ID)

	if !mark.begun() {
		disk, err := o.systemDisk(ctx)
		if err != nil {
			return err
		}

		now.disk, now.lost = diskMark(disk.ID), mark.losesOn(disk)
	}

	renewed := now.encode()
	if at, _, forced := cutForced(o.held.before); forced {
		renewed = forcedPrefix + at + "." + renewed
	}

	o.held.before, o.tag.current = renewed, o.held

	if err := o.write(ctx, o.tag); err != nil {
		return fmt.Errorf("writing on %s which image it gets: %w", o.id, err)
	}

	return nil
}

// hasImage reports whether the machine is said to have the image that the operation
// gives it.
func (o *operating) hasImage(instance ecs.Instance, mark replaceMark) bool {
	switch named := replacementOf(o.request); {
	case instance.ImageID == "":
		return true
	case mark.image != "":
		return imageMark(instance.ImageID) == mark.image
	default:
		return named.id == "" || instance.ImageID == named.id
	}
}

// madeFrom names the image of the new disk.
func (o *operating) madeFrom(instance ecs.Instance) string {
	named := replacementOf(o.request)

	switch {
	case named.family == "":
		return named.id
	case instance.ImageID == "":
		return named.String()
	default:
		return fmt.Sprintf("%s, of the family %s", instance.ImageID, named.family)
	}
}
