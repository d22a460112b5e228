package alicloud

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// loadTypes finds the candidates among the region's types, and leaves out those that
// can never be launched as the class wants them.
func (c *classResolution) loadTypes(ctx context.Context) error {
	catalogue, err := c.resolver.types.known(ctx, c.client, c.spec.Region, c.spec.InstanceTypes)
	if strings.HasPrefix(codeOf(err), "InvalidInstanceType") {
		return invalid(fmt.Errorf("instance_types: ECS does not know one of them in %s: %w", c.spec.Region, err))
	}

	if err != nil {
		return c.callError("looking up the instance types", err)
	}

	if c.spec.Requirements != nil {
		err = c.chooseTypes(catalogue)
	} else {
		err = c.listTypes(catalogue)
	}

	if err != nil {
		return err
	}

	c.candidates = slices.DeleteFunc(c.candidates, func(id string) bool {
		reason := c.unfit(catalogue[id])
		if reason != "" {
			c.exclusions.add(id, reason)
		}

		return reason != ""
	})

	for _, id := range c.candidates {
		c.types[id] = catalogue[id]
	}

	return nil
}

// listTypes takes the types that the class names. One that does not exist, or does
// not run the image, is a mistake.
func (c *classResolution) listTypes(catalogue map[string]ecs.InstanceType) error {
	var wrong mistakes

	for _, id := range c.spec.InstanceTypes {
		instanceType, ok := catalogue[id]
		if !ok {
			wrong.add(c.missing("instance_types", "instance type", id))

			continue
		}

		image, processor := architecture(c.image.Architecture), architecture(instanceType.CPUArchitecture)
		if !runsOn(image, processor) {
			wrong.add(fmt.Errorf("instance_types: %s has the architecture %s, and the image %s is for %s", id, processor, c.image.ID, image))
		}
	}

	c.candidates = slices.Clone(c.spec.InstanceTypes)

	return wrong.err()
}

// chooseTypes takes the types that fit the class's requirements, the smallest first.
func (c *classResolution) chooseTypes(catalogue map[string]ecs.InstanceType) error {
	wants := c.spec.Requirements

	if err := c.checkFamilies(catalogue); err != nil {
		return err
	}

	rejected := map[string]int{}

	for id, instanceType := range catalogue {
		reasons := wants.misfits(instanceType, architecture(c.image.Architecture))
		for _, reason := range reasons {
			rejected[reason]++
		}

		if len(reasons) == 0 {
			c.candidates = append(c.candidates, id)
		}
	}

	if len(c.candidates) == 0 {
		return invalid(fmt.Errorf("requirements: none of the %d instance types of %s fits all of them:%s", len(catalogue), c.spec.Region, countsByReason(rejected)))
	}

	slices.SortFunc(c.candidates, func(a, b string) int { return wants.compare(catalogue[a], catalogue[b]) })

	return nil
}

// checkFamilies refuses a family that the region has no type of: it is misspelled
// more often than not, and would be missed by nobody.
func (c *classResolution) checkFamilies(catalogue map[string]ecs.InstanceType) error {
	families := map[string]bool{}
	for _, instanceType := range catalogue {
		families[instanceType.Family] = true
	}

	var wrong mistakes

	for _, family := range c.spec.Requirements.Families {
		if !families[family] {
			wrong.add(c.missing("requirements.families", "instance family", family))
		}
	}

	return wrong.err()
}

func countsByReason(rejected map[string]int) string {
	reasons := slices.SortedFunc(maps.Keys(rejected), func(a, b string) int {
		if rejected[a] != rejected[b] {
			return rejected[b] - rejected[a]
		}

		return strings.Compare(a, b)
	})

	text := ""
	for _, reason := range reasons {
		text += fmt.Sprintf("\n- %s leaves out %d", reason, rejected[reason])
	}

	return text
}

// unfit tells why a type can never be launched as the class wants it; empty where it
// can. A fact that the catalogue does not tell is not held against it.
func (c *classResolution) unfit(instanceType ecs.InstanceType) string {
	disks := int64(1 + len(c.spec.DataDisks))

	switch {
	case instanceType.Disks > 0 && disks > instanceType.Disks:
		return fmt.Sprintf("it takes %d disks with the system disk, and the class has %d", instanceType.Disks, disks)
	case c.spec.IPv6 != nil && int64(c.spec.IPv6.AddressCount) > instanceType.IPv6AddressesPerInterface:
		return fmt.Sprintf("its network card takes %d IPv6 addresses, and the class has %d", instanceType.IPv6AddressesPerInterface, c.spec.IPv6.AddressCount)
	case c.spec.CreditSpecification != "" && instanceType.BaselineCredit == 0:
		return "it is not burstable, and the class has credit_specification"
	}

	return ""
}
