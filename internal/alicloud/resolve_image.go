package alicloud

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// The Kubernetes names of processor architectures that are compared.
const (
	architectureX86 = "amd64"
	architectureARM = "arm64"
	architecture32  = "386"
)

// publicImages is the owner of those that Alibaba Cloud provides.
const publicImages = "system"

func (c *classResolution) loadImage(ctx context.Context) error {
	image, err := c.findImage(ctx)
	if err != nil {
		return err
	}

	c.image = image

	if disk := c.spec.SystemDisk; disk != nil && disk.SizeGiB > 0 && disk.SizeGiB < image.SizeGiB {
		return invalid(fmt.Errorf("system_disk.size_gib: %d is smaller than the image %s, which has %d GiB", disk.SizeGiB, image.ID, image.SizeGiB))
	}

	// RunInstances, "SecurityEnhancementStrategy": in public images alone.
	if wanted := c.spec.SecurityEnhancement; wanted != nil && *wanted && another(image.OwnerAlias, publicImages) {
		return invalid(fmt.Errorf("security_enhancement: it is true, and the image %s is not a public one (its owner is %q); ECS can install its agent in public images only",
			image.ID, image.OwnerAlias))
	}

	if wants := c.spec.Requirements; wants != nil && wants.Architecture != "" {
		if built := architecture(image.Architecture); !runsOn(built, wants.Architecture) {
			return invalid(fmt.Errorf("requirements.architecture: it is %s, and the image %s is for %s", wants.Architecture, image.ID, built))
		}
	}

	return nil
}

func (c *classResolution) findImage(ctx context.Context) (ecs.Image, error) {
	if c.spec.ImageFamily != "" {
		image, ok, err := c.client.ImageFromFamily(ctx, c.spec.Region, c.spec.ImageFamily)
		if err != nil {
			return ecs.Image{}, c.callError("looking up the image family", err)
		}

		if !ok {
			return ecs.Image{}, invalid(c.missing("image_family", "image of the family", c.spec.ImageFamily))
		}

		return image, nil
	}

	images, err := c.client.Images(ctx, c.spec.Region, []string{c.spec.ImageID})
	if err != nil {
		return ecs.Image{}, c.callError("looking up the image", err)
	}

	i := slices.IndexFunc(images, func(image ecs.Image) bool { return image.ID == c.spec.ImageID })
	if i < 0 {
		return ecs.Image{}, invalid(c.missing("image_id", "image", c.spec.ImageID))
	}

	if status := images[i].Status; !launchable(status) {
		return ecs.Image{}, invalid(fmt.Errorf("image_id: the image %s is %s, and can be launched once it is Available", c.spec.ImageID, status))
	}

	return images[i], nil
}

// launchable reports whether machines can be launched from an image of that status. A
// deprecated one is left out of its family and can be named all the same
// (ModifyImageAttribute, "Status"). A status that is not told is held against nobody.
func launchable(status string) bool {
	return status == "" || status == "Available" || status == "Deprecated"
}

// runsOn reports whether a processor runs an image. An architecture that is not
// known is not held against the pair; the launch will tell.
func runsOn(image, processor string) bool {
	return !another(image, processor) || (image == architecture32 && processor == architectureX86)
}

// architecture returns the Kubernetes name of a processor architecture as ECS
// spells it for instance types (X86, ARM) and for images (x86_64, arm64).
func architecture(name string) string {
	switch strings.ToLower(name) {
	case "x86", "x86_64":
		return architectureX86
	case "arm", "arm64":
		return architectureARM
	case "i386":
		return architecture32
	default:
		return ""
	}
}
