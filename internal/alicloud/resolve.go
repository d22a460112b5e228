package alicloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// offeringLifetime is how long a resolution is believed: stock moves.
const offeringLifetime = 10 * time.Minute

// vswitchAvailable is the status of a vSwitch that takes machines.
const vswitchAvailable = "Available"

// The Kubernetes names of processor architectures that are compared.
const (
	architectureX86 = "amd64"
	architectureARM = "arm64"
	architecture32  = "386"
)

// resolveClass checks what the class names and returns the ways to launch it, in
// the order of its lists. It launches nothing.
func (r *registration) resolveClass(ctx context.Context, request machineops.ClassRequest) (machineops.ClassResolution, error) {
	spec, err := decodeClass(request.ProviderConfig)
	if err != nil {
		return machineops.ClassResolution{}, err
	}

	client, err := r.plugin.NewECSClient(secretOf(request.Auth), spec.Region)
	if err != nil {
		return machineops.ClassResolution{}, operationError(err)
	}

	resolver := &classResolver{client: client, spec: spec}
	if err := resolver.load(ctx); err != nil {
		return machineops.ClassResolution{}, err
	}

	offerings := resolver.offerings(metav1.NewTime(r.clock.Now().Add(offeringLifetime)))
	if len(offerings) == 0 {
		return machineops.ClassResolution{}, invalid(fmt.Errorf("none of the instance types %s is sold in the zones of the vSwitches (%s) for %s",
			strings.Join(spec.InstanceTypes, ", "), strings.Join(resolver.zones(), ", "), strings.Join(spec.CapacityTypes, ", ")))
	}

	return machineops.ClassResolution{Offerings: offerings}, nil
}

// classResolver holds what the cloud says of one class.
type classResolver struct {
	client    *ecs.Client
	spec      *ClassSpec
	vswitches []ecs.VSwitch
	image     ecs.Image
	types     map[string]ecs.InstanceType
	// stock is keyed by capacity type, then zone and instance type.
	stock map[v1alpha3.CapacityType]map[[2]string]ecs.ZoneStock
}

func (c *classResolver) load(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		c.loadVSwitches, c.loadSecurityGroups, c.loadImage, c.loadTypes, c.loadStock,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}

	return nil
}

func (c *classResolver) loadVSwitches(ctx context.Context) error {
	found, err := c.client.VSwitches(ctx, c.spec.Region, c.spec.VSwitchIDs)
	if err != nil {
		return c.callError("looking up the vSwitches", err)
	}

	for _, id := range c.spec.VSwitchIDs {
		i := slices.IndexFunc(found, func(v ecs.VSwitch) bool { return v.ID == id })
		if i < 0 {
			return c.missing("vswitch_ids", "vSwitch", id)
		}

		c.vswitches = append(c.vswitches, found[i])
	}

	return c.checkVSwitches()
}

// checkVSwitches refuses vSwitches that cannot serve one class. What the answer
// leaves out is not held against them; the launch will tell.
func (c *classResolver) checkVSwitches() error {
	first := c.vswitches[0]

	for _, vswitch := range c.vswitches {
		switch {
		case another(vswitch.VPCID, first.VPCID):
			return invalid(fmt.Errorf("vswitch_ids: %s is in the VPC %s and %s in %s; all have to be in one VPC",
				first.ID, first.VPCID, vswitch.ID, vswitch.VPCID))
		case vswitch.Zone == "":
			return fmt.Errorf("vswitch_ids: ECS does not tell the zone of %s; try again later", vswitch.ID)
		case another(vswitch.Status, vswitchAvailable):
			// It is being made: the next look may find it ready.
			return fmt.Errorf("vswitch_ids: %s is %s, and takes no machines before it is %s; try again later", vswitch.ID, vswitch.Status, vswitchAvailable)
		}
	}

	return nil
}

func (c *classResolver) loadSecurityGroups(ctx context.Context) error {
	found, err := c.client.SecurityGroups(ctx, c.spec.Region, c.spec.SecurityGroupIDs)
	if err != nil {
		return c.callError("looking up the security groups", err)
	}

	for _, id := range c.spec.SecurityGroupIDs {
		i := slices.IndexFunc(found, func(g ecs.SecurityGroup) bool { return g.ID == id })
		if i < 0 {
			return c.missing("security_group_ids", "security group", id)
		}

		switch vpc := c.vswitches[0].VPCID; {
		case found[i].VPCID == "":
			// DescribeSecurityGroups, "VpcId": empty for a group of the classic network.
			return invalid(fmt.Errorf("security_group_ids: %s is in no VPC (a group of the classic network), and machines in vSwitches need one of their VPC, %s", id, vpc))
		case another(found[i].VPCID, vpc):
			return invalid(fmt.Errorf("security_group_ids: %s is in the VPC %s, and the vSwitches are in %s", id, found[i].VPCID, vpc))
		}
	}

	return nil
}

func (c *classResolver) loadImage(ctx context.Context) error {
	if c.spec.ImageFamily != "" {
		image, ok, err := c.client.ImageFromFamily(ctx, c.spec.Region, c.spec.ImageFamily)
		if err != nil {
			return c.callError("looking up the image family", err)
		}

		if !ok {
			return c.missing("image_family", "image of the family", c.spec.ImageFamily)
		}

		c.image = image

		return nil
	}

	images, err := c.client.Images(ctx, c.spec.Region, []string{c.spec.ImageID})
	if err != nil {
		return c.callError("looking up the image", err)
	}

	i := slices.IndexFunc(images, func(image ecs.Image) bool { return image.ID == c.spec.ImageID })
	if i < 0 {
		return c.missing("image_id", "image", c.spec.ImageID)
	}

	c.image = images[i]

	return nil
}

func (c *classResolver) loadTypes(ctx context.Context) error {
	found, err := c.client.InstanceTypes(ctx, c.spec.Region, c.spec.InstanceTypes)
	if err != nil {
		return c.callError("looking up the instance types", err)
	}

	c.types = map[string]ecs.InstanceType{}
	for _, instanceType := range found {
		c.types[instanceType.ID] = instanceType
	}

	for _, id := range c.spec.InstanceTypes {
		instanceType, ok := c.types[id]
		if !ok {
			return c.missing("instance_types", "instance type", id)
		}

		image, processor := architecture(c.image.Architecture), architecture(instanceType.CPUArchitecture)
		if !runsOn(image, processor) {
			return invalid(fmt.Errorf("instance_types: %s has the architecture %s, and the image %s is for %s", id, processor, c.image.ID, image))
		}
	}

	return nil
}

func (c *classResolver) loadStock(ctx context.Context) error {
	c.stock = map[v1alpha3.CapacityType]map[[2]string]ecs.ZoneStock{}

	for _, name := range c.spec.CapacityTypes {
		query := ecs.StockQuery{Region: c.spec.Region, ChargeType: "PostPaid", SpotStrategy: noSpot}

		capacityType := v1alpha3.CapacityType(name)
		if capacityType == v1alpha3.CapacityTypeSpot {
			query.SpotStrategy = spotAtMarketPrice
		}

		if len(c.spec.InstanceTypes) == 1 {
			query.InstanceType = c.spec.InstanceTypes[0]
		}

		stock, err := c.client.AvailableTypes(ctx, query)
		if err != nil {
			return c.callError("looking up the stock", err)
		}

		c.stock[capacityType] = map[[2]string]ecs.ZoneStock{}
		for _, entry := range stock {
			c.stock[capacityType][[2]string{entry.Zone, entry.InstanceType}] = entry
		}
	}

	return nil
}

// offerings is the product of the class's lists, type by type, less what is not
// sold.
func (c *classResolver) offerings(validUntil metav1.Time) []v1alpha3.MachineClassOffering {
	var offerings []v1alpha3.MachineClassOffering

	for _, typeID := range c.spec.InstanceTypes {
		for _, name := range c.spec.CapacityTypes {
			for _, vswitch := range c.vswitches {
				capacityType := v1alpha3.CapacityType(name)

				stock, sold := c.stock[capacityType][[2]string{vswitch.Zone, typeID}]
				if !sold {
					continue
				}

				offerings = append(offerings, v1alpha3.MachineClassOffering{
					ID:           strings.Join([]string{typeID, vswitch.ID, name}, "/"),
					InstanceType: typeID,
					Region:       c.spec.Region,
					Zone:         vswitch.Zone,
					Network:      vswitch.ID,
					CapacityType: capacityType,
					Availability: availability(stock),
					Resources:    resources(c.types[typeID]),
					Architecture: architecture(c.types[typeID].CPUArchitecture),
					ValidUntil:   validUntil,
				})
			}
		}
	}

	return offerings
}

func (c *classResolver) zones() []string {
	var zones []string

	for _, vswitch := range c.vswitches {
		if !slices.Contains(zones, vswitch.Zone) {
			zones = append(zones, vswitch.Zone)
		}
	}

	return zones
}

func (c *classResolver) missing(field, kind, id string) error {
	return invalid(fmt.Errorf("%s: there is no %s %q in the region %s (or the credentials may not see it)", field, kind, id, c.spec.Region))
}

// callError adds what a user has to look at where the region itself is wrong.
func (c *classResolver) callError(doing string, err error) error {
	var coded *ecs.Error
	if errors.As(err, &coded) && strings.HasPrefix(coded.Code, "InvalidRegionId") {
		return invalid(fmt.Errorf("region: %q is not a region of Alibaba Cloud; correct alicloud.region: %w", c.spec.Region, err))
	}

	return operationError(fmt.Errorf("%s in %s: %w", doing, c.spec.Region, err))
}

// runsOn reports whether a processor runs an image. An architecture that is not
// known is not held against the pair; the launch will tell.
func runsOn(image, processor string) bool {
	return !another(image, processor) || (image == architecture32 && processor == architectureX86)
}

func availability(stock ecs.ZoneStock) v1alpha3.Availability {
	switch stock.StatusCategory {
	case "WithStock":
		return v1alpha3.AvailabilityAvailable
	case "ClosedWithStock":
		return v1alpha3.AvailabilityLow
	case "WithoutStock":
		return v1alpha3.AvailabilitySoldOut
	case "ClosedWithoutStock":
		return v1alpha3.AvailabilityDiscontinued
	}

	// The category is left out where there is nothing to add to the status.
	switch stock.Status {
	case "Available":
		return v1alpha3.AvailabilityAvailable
	case "SoldOut":
		return v1alpha3.AvailabilitySoldOut
	default:
		return v1alpha3.AvailabilityUnknown
	}
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

func resources(instanceType ecs.InstanceType) map[string]resource.Quantity {
	quantities := map[string]resource.Quantity{
		"cpu":    *resource.NewQuantity(instanceType.VCPUs, resource.DecimalSI),
		"memory": *resource.NewQuantity(int64(instanceType.MemoryGiB*(1<<30)), resource.BinarySI),
	}

	if instanceType.GPUs > 0 {
		quantities["gpu"] = *resource.NewQuantity(instanceType.GPUs, resource.DecimalSI)
	}

	return quantities
}
