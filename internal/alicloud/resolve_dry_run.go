package alicloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// mostDryRuns bounds how many offerings are tried to find one that is refused for
// nothing but what is asked about.
const mostDryRuns = 4

// checkLaunch asks ECS, by a launch that is only checked, for what no look-up of ECS
// tells: whether there is the RAM role, the resource group, the private pool and the
// keys that the class names. A class that names none of them costs no call.
func (c *classResolution) checkLaunch(ctx context.Context) error {
	key := c.spec.checkedByLaunch()
	if len(key) == 0 {
		return nil
	}

	return c.references.find(ctx, c.dryRun, append([]string{c.spec.Region, "launch"}, key...)...)
}

// checkedByLaunch is what a checked launch is made for; empty where there is nothing.
func (s *ClassSpec) checkedByLaunch() []string {
	var named []string

	keys, _ := s.kmsKeys()

	for _, field := range []struct{ name, value string }{{"ram_role_name", s.RAMRoleName}, {"resource_group_id", s.ResourceGroupID}, {"kms_key_id", strings.Join(keys, " ")}} {
		if field.value != "" {
			named = append(named, field.name+" "+field.value)
		}
	}

	// A pool is of one zone and of one type, so what was said of other candidates is
	// not said of these.
	if s.PrivatePool != nil && s.PrivatePool.ID != "" {
		named = append(named, "private_pool "+s.PrivatePool.ID, strings.Join(s.VSwitchIDs, " "), strings.Join(s.InstanceTypes, " "))
	}

	return named
}

// kmsKeys are those that the disks are encrypted with, each once, and the fields that
// name them.
func (s *ClassSpec) kmsKeys() (keys, fields []string) {
	add := func(key, field string) {
		if key == "" {
			return
		}

		fields = append(fields, field)

		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}

	if s.SystemDisk != nil {
		add(s.SystemDisk.KMSKeyID, "system_disk.kms_key_id")
	}

	for i := range s.DataDisks {
		add(s.DataDisks[i].KMSKeyID, fmt.Sprintf("data_disks[%d].kms_key_id", i))
	}

	return keys, fields
}

// dryRun has offerings checked one after the other, until ECS takes one, or refuses
// one for the class itself.
func (c *classResolution) dryRun(ctx context.Context) error {
	var last error

	tried := 0

	for i := range c.offerings {
		if tried == mostDryRuns {
			break
		}

		if !c.worthChecking(c.offerings[i]) {
			continue
		}

		tried++

		input, err := launchInput(machineops.OperationRequest{
			OperationUID: checkName,
			Allocation:   &machineops.AllocationRequest{Name: checkName, UID: checkName, Offering: c.offerings[i]},
		}, c.spec)
		if err != nil {
			return invalid(err)
		}

		refused := c.client.CheckLaunch(ctx, input)

		switch field := refusedField(refused); {
		case refused == nil:
			return nil
		case field == "private_pool":
			// Another offering may be what the pool holds.
			last = invalid(fmt.Errorf("private_pool: ECS would refuse a launch from it (%s): %w", c.offerings[i].ID, refused))
		case field == "kms_key_id":
			// Which of them it is, ECS does not tell.
			_, fields := c.spec.kmsKeys()

			return refusedWith(strings.Join(fields, " or "), refused)
		case field != "":
			return refusedWith(field, refused)
		case ecs.ClassOf(refused) == ecs.ClassCapacity:
			last = nil
		default:
			return c.untold(ctx, refused)
		}
	}

	return last
}

// refusedWith is the error of a class that no launch is accepted with. Who may not
// pass a role on lacks a permission; all else is wrong in the class.
func refusedWith(field string, refused error) error {
	err := fmt.Errorf("%s: ECS would refuse a launch with it: %w", field, refused)
	if codeOf(refused) == passRoleForbidden {
		return operationError(err)
	}

	return invalid(err)
}

const passRoleForbidden = "InvalidUser.PassRoleForbidden"

// checkName stands for what a checked launch has no need of.
const checkName = "class-check"

// worthChecking reports whether a launch of the offering would come as far as the
// names: not where all is sold out. Spot machines take nothing from a pool.
func (c *classResolution) worthChecking(offering v1alpha3.MachineClassOffering) bool {
	if offering.Availability == v1alpha3.AvailabilitySoldOut || offering.Availability == v1alpha3.AvailabilityDiscontinued {
		return false
	}

	return offering.CapacityType != v1alpha3.CapacityTypeSpot || c.spec.PrivatePool == nil || c.spec.PrivatePool.ID == ""
}

// untold is what a refusal says that is about nothing the class names: of quotas and
// of the account the launch itself tells, when it comes to that.
func (c *classResolution) untold(ctx context.Context, refused error) error {
	switch ecs.ClassOf(refused) {
	case ecs.ClassTransient, ecs.ClassThrottled, ecs.ClassCredentials, ecs.ClassPermission, ecs.ClassUnknown:
		return c.lookError("checking a launch of the class", refused)
	default:
		c.logger.InfoContext(ctx, "a checked launch of the class was refused for something else", "error", refused.Error())

		return nil
	}
}

// refusedField is the argument of the class that a refusal is about, where the code
// tells, and where it is one that a launch is checked for; else empty.
func refusedField(err error) string {
	var refused *ecs.Error
	if !errors.As(err, &refused) {
		return ""
	}

	for _, known := range []struct{ prefix, field string }{
		{"InvalidRamRole", "ram_role_name"},
		{passRoleForbidden, "ram_role_name"},
		{"InvalidResourceGroup", "resource_group_id"},
		{"Invalid.PrivatePoolOptionsId", "private_pool"},
		{"InvalidParameter.KMSKeyId", "kms_key_id"},
	} {
		if strings.HasPrefix(refused.Code, known.prefix) {
			return known.field
		}
	}

	return ""
}
