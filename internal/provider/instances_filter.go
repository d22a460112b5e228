package provider

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// everyOwner stands for machines of every owner, and of none.
const everyOwner = "*"

// instancesFilter says which machines are wanted. What is null narrows nothing.
type instancesFilter struct {
	Region      types.String `tfsdk:"region"`
	Owner       types.String `tfsdk:"owner"`
	ClassUID    types.String `tfsdk:"class_uid"`
	Name        types.String `tfsdk:"name"`
	Zone        types.String `tfsdk:"zone"`
	Phases      types.List   `tfsdk:"phases"`
	Tags        types.Map    `tfsdk:"tags"`
	Settled     types.Bool   `tfsdk:"settled"`
	OlderThan   types.String `tfsdk:"older_than"`
	YoungerThan types.String `tfsdk:"younger_than"`
}

// filterArgument is one argument of a filter.
type filterArgument struct {
	kind        attr.Type
	description string
	text        []validator.String
	list        []validator.List
}

// filterArguments are the arguments of a filter, by name.
func filterArguments() map[string]filterArgument {
	phases := []string{
		string(driver.MachinePhaseAllocating), string(driver.MachinePhaseRunning), string(driver.MachinePhaseStopped), string(driver.MachinePhaseReclaiming),
		string(driver.MachinePhaseLocked), string(driver.MachinePhaseReleasing), string(driver.MachinePhaseUnknown),
	}

	return map[string]filterArgument{
		"region": {kind: types.StringType, description: "Region to look in. Default: the provider's.", text: []validator.String{regionValidator()}},
		"owner": {
			kind: types.StringType, text: []validator.String{stringvalidator.LengthBetween(1, 100)},
			description: "Owner of the machines. Default: the provider's. `*` lists the machines of every owner and those that have none, such as a fleet that is to be taken over.",
		},
		"class_uid": {kind: types.StringType, description: "`uid` of the `machine_class` that the machines are of.", text: []validator.String{stringvalidator.LengthAtLeast(1)}},
		"name": {
			kind: types.StringType, description: "Name of the `machine_allocation`, or of the instance in ECS. `*` in it stands for any text.",
			text: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"zone": {kind: types.StringType, description: "Zone that the machine is in.", text: []validator.String{stringvalidator.LengthAtLeast(1)}},
		"phases": {
			kind: types.ListType{ElemType: types.StringType}, description: "Phases, one of which the machine is in: `" + strings.Join(phases, "`, `") + "`.",
			list: []validator.List{listvalidator.SizeAtLeast(1), noNullElements(), listvalidator.ValueStringsAre(stringvalidator.OneOf(phases...))},
		},
		"tags": {kind: types.MapType{ElemType: types.StringType}, description: "Tags that the machine has, all of them. An empty value stands for any."},
		"settled": {kind: types.BoolType, description: "Whether the machine is marked as held by a stored state. `false` finds what an interrupted apply left, " +
			"beside what was launched only now."},
		"older_than": {
			kind: types.StringType, description: "Least age of the machine, as a duration such as `72h`.", text: []validator.String{durationValidator{least: 0}},
		},
		"younger_than": {
			kind: types.StringType, description: "Age that the machine has not reached, as a duration such as `72h`.", text: []validator.String{durationValidator{least: time.Second}},
		},
	}
}

// fits reports whether the machine is wanted.
func (f instancesFilter) fits(machine *driver.ObservedMachine, now time.Time) bool {
	is := func(wanted types.String, values ...string) bool {
		return wanted.IsNull() || slices.Contains(values, wanted.ValueString())
	}

	named := f.Name.IsNull() || matches(f.Name.ValueString(), machine.Identity.Allocation) || matches(f.Name.ValueString(), machine.Name)

	phases := stringsOf(f.Phases)

	return is(f.ClassUID, machine.Identity.ClassUID) && is(f.Zone, machine.Zone) && named &&
		(len(phases) == 0 || slices.Contains(phases, string(shownPhase(machine)))) &&
		(f.Settled.IsNull() || f.Settled.ValueBool() == machine.Settled) && f.fitsTags(machine) && f.fitsAge(machine, now)
}

func (f instancesFilter) fitsTags(machine *driver.ObservedMachine) bool {
	for key, wanted := range stringMap(f.Tags) {
		if value, there := machine.Tags[key]; !there || wanted != "" && wanted != value {
			return false
		}
	}

	return true
}

// fitsAge judges a machine whose age is not known as of any.
func (f instancesFilter) fitsAge(machine *driver.ObservedMachine, now time.Time) bool {
	if machine.CreatedAt.IsZero() {
		return true
	}

	age := now.Sub(machine.CreatedAt)

	return (f.OlderThan.IsNull() || age >= durationOf(f.OlderThan)) && (f.YoungerThan.IsNull() || age < durationOf(f.YoungerThan))
}

// matches reports whether the text is the pattern, in which * stands for any text.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}

	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}

	text = text[len(first) : len(text)-len(last)]

	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}

		text = after
	}

	return true
}

// find returns the wanted machines, sorted by provider ID. An empty result is proven
// to be one.
func (c *client) find(ctx context.Context, filter instancesFilter) ([]*driver.ObservedMachine, error) {
	region := filter.Region.ValueString()
	if region == "" {
		region = c.region
	}

	if region == "" {
		return nil, driver.NewError(driver.CodeInvalidArgument, "no region is given, and the provider has none: set region here, or alicloud.region in the provider block")
	}

	listed, err := c.machinesOf(ctx, region, filter.Owner)
	if err != nil {
		return nil, err
	}

	now := c.clock.Now()

	var found []*driver.ObservedMachine

	for _, machine := range listed {
		if filter.fits(machine, now) {
			found = append(found, machine)
		}
	}

	slices.SortFunc(found, func(a, b *driver.ObservedMachine) int { return strings.Compare(a.ProviderID, b.ProviderID) })

	return found, nil
}

// machinesOf lists the machines of an owner. Those of the provider's own come from the
// list that all share, which is made anew once this run has changed anything.
func (c *client) machinesOf(ctx context.Context, region string, owner types.String) ([]*driver.ObservedMachine, error) {
	switch owner.ValueString() {
	case everyOwner:
		return c.cloud.Lister().ListAllMachines(ctx, &driver.ListAllMachinesRequest{Region: region, Secret: c.secret()})
	case "", c.owner:
	default:
		if !ownerPattern.MatchString(owner.ValueString()) {
			return nil, driver.NewError(driver.CodeInvalidArgument, "%q is no owner: want 1 to 100 letters, digits, dots, underscores, hyphens or slashes, or * for all", owner.ValueString())
		}

		return c.cloud.Lister().ListOwnedMachines(ctx, &driver.ListOwnedMachinesRequest{Region: region, Owner: owner.ValueString(), Secret: c.secret()})
	}

	notBefore := c.clock.Now()
	if !c.applied.Load() {
		notBefore = notBefore.Add(-freshness)
	}

	shared, err := c.listings.since(ctx, region, notBefore)
	if err != nil {
		return nil, err
	}

	machines := make([]*driver.ObservedMachine, 0, len(shared))
	for _, machine := range shared {
		machines = append(machines, machine)
	}

	return machines, nil
}
