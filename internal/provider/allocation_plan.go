package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ModifyPlan implements resource.ResourceWithModifyPlan. It is pure but for what it
// notes of planned names.
func (r *allocationResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, resp)

		return
	}

	var plan allocationModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)

	if resp.Diagnostics.HasError() {
		return
	}

	tagged{plan, r.defaultTags()}.checkTagCount(&resp.Diagnostics)
	checkRetention(plan, &resp.Diagnostics)

	if resp.Diagnostics.HasError() {
		return
	}

	if req.State.Raw.IsNull() {
		r.planCreate(ctx, req, plan, resp)

		return
	}

	r.planUpdate(ctx, req, plan, resp)
}

func (r *allocationResource) planCreate(ctx context.Context, req resource.ModifyPlanRequest, plan allocationModel, resp *resource.ModifyPlanResponse) {
	// The create half of a replacement still sees the record of what it replaces.
	record := readRecord(ctx, req.Private, &resp.Diagnostics)

	if r.client == nil || resp.Diagnostics.HasError() || !r.reserveName(plan, replacedMachine(record), resp) {
		return
	}

	if r.tellLateRetention(plan, replacedMachine(record), resp) {
		return
	}

	// That of a tainted one has no record; what tells it is that its machine was read.
	if replacedMachine(record) != "" || r.client.settling.concerns(plan.Name.ValueString()) {
		r.awaitMarks(ctx)
	}

	locator := r.planLocator(ctx, plan, resp)
	if resp.Diagnostics.HasError() || locator.IsUnknown() {
		return
	}

	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("locator"), locator)...)
}

// replacedMachine is the machine in a record, empty where it has none.
func replacedMachine(record lifecycle.Record) string {
	for _, owned := range record.OwnedResources {
		if owned.Kind == v1alpha3.OwnedResourceInstance {
			return driver.ProviderID{Region: owned.Region, ResourceID: owned.ID}.String()
		}
	}

	return ""
}

// reserveName refuses a name that another resource of the configuration has. The
// machine is empty where there is none yet.
func (r *allocationResource) reserveName(plan allocationModel, machine string, resp *resource.ModifyPlanResponse) bool {
	class, known := plan.classModel()
	if r.client == nil || !known {
		return true
	}

	region, name := class.region(), plan.Name
	if region.IsUnknown() || name.IsUnknown() || r.client.planned.add(region.ValueString(), name.ValueString(), machine) {
		return true
	}

	resp.Diagnostics.AddAttributeError(path.Root("name"), "Duplicate allocation name",
		fmt.Sprintf("Two machine_allocation resources of this configuration are named %q in %s. Names are how machines are found again, so each has to have its own: "+
			"put the for_each key or the count index into the name.", name.ValueString(), region.ValueString()))

	return false
}

// settlingWait bounds the wait for marks that a decision rests on.
const settlingWait = 10 * time.Second

// awaitMarks waits for the marks under way. A machine that is replaced by one created
// first has to be known as a state's by then, or the apply takes it for what an
// interrupted run left.
func (r *allocationResource) awaitMarks(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settlingWait)
	defer cancel()

	// Best effort: without the mark the apply says what it met.
	_ = r.client.settling.flush(ctx)
}

// reserveMachine refuses a machine that another resource of the configuration has:
// destroying one of them would release the machine of the other.
func (r *allocationResource) reserveMachine(machine, name string, resp *resource.ModifyPlanResponse) bool {
	if r.client == nil || machine == "" || name == "" {
		return true
	}

	other, taken := r.client.planned.addMachine(machine, name)
	if !taken {
		return true
	}

	resp.Diagnostics.AddAttributeError(path.Root("id"), "One machine, two resources",
		fmt.Sprintf("The machine %s is held by two machine_allocation resources of this configuration, named %q and %q. Let one of them go: terraform state rm ADDRESS, and remove it from the configuration.",
			machine, other, name))

	return false
}

// planLocator computes the pre-host identity, which is unknown until the class is.
func (r *allocationResource) planLocator(ctx context.Context, plan allocationModel, resp *resource.ModifyPlanResponse) types.String {
	locator, err := r.locator(ctx, plan)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("class"), "The machine cannot be planned", sentence(err)+" Correct the class, then plan again. Nothing was launched.")
	}

	return locator
}

// locator asks the registration, which computes it without a call.
func (r *allocationResource) locator(ctx context.Context, model allocationModel) (types.String, error) {
	identity, known := model.identity(r.client.owner)
	class, classKnown := model.classModel()

	if !known || !classKnown {
		return types.StringUnknown(), nil
	}

	config, err := class.class()
	if err != nil {
		// Some part of the class is not known yet.
		return types.StringUnknown(), nil //nolint:nilerr // Unknown is the answer.
	}

	capacity, ok := r.client.cloud.Registration().Capacity()
	if !ok {
		return types.StringUnknown(), fmt.Errorf("%s does not allocate machines", r.client.cloud.Registration().Name())
	}

	plan, err := capacity.PlanAllocation(ctx, machineops.AllocationPlanRequest{
		AllocationName: identity.Name,
		AllocationUID:  identity.UID(),
		HostName:       model.HostName.ValueString(),
		ProviderConfig: config.ProviderConfig,
	})
	if err != nil {
		return types.StringUnknown(), err
	}

	return types.StringValue(plan.ProviderID), nil
}

func (r *allocationResource) planUpdate(ctx context.Context, req resource.ModifyPlanRequest, plan allocationModel, resp *resource.ModifyPlanResponse) {
	var state allocationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)

	record := readRecord(ctx, req.Private, &resp.Diagnostics)
	given := readDefaultTags(ctx, req.Private, &resp.Diagnostics)

	if resp.Diagnostics.HasError() {
		return
	}

	imported := readImport(ctx, req.Private, state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	r.noteRetention(state)

	if !r.reserveMachine(state.ID.ValueString(), plan.Name.ValueString(), resp) {
		return
	}

	if r.taken(state, record, imported) {
		r.planTaken(ctx, state, plan, resp)

		return
	}

	if imported != nil && !r.planImported(state, plan, imported, resp) {
		return
	}

	if imported == nil && !r.planSafety(ctx, state, plan, record, resp) {
		return
	}

	var ahead fate
	if imported == nil {
		ahead = r.planReplacement(ctx, state, plan, record.Operation != nil, resp)
	}

	if ahead == fateReplaced {
		if r.client != nil {
			r.awaitMarks(ctx)
		}

		return
	}

	if !r.reserveName(plan, state.ID.ValueString(), resp) {
		return
	}

	var unfinished driver.Unfinished
	if imported == nil && record.Operation == nil {
		unfinished = cutOffAt(ctx, req.Private, plan, &resp.Diagnostics)
	}

	if imported == nil && ahead == fateKept {
		r.warnKept(state, plan, resp)
		r.warnReinstall(state, plan, resp)
		r.warnResize(state, plan, resp)
		r.warnUnfinished(ctx, req.Private, state, plan, unfinished, resp)
		warnUnderWay(ctx, req.Private, state, plan, resp)
		warnLeftStopped(ctx, req.Private, state, plan, resp)
		warnReinstalled(ctx, req.Private, state, plan, unfinished, resp)
	}

	change := inPlace{
		resuming:   record.Operation != nil,
		imported:   imported != nil,
		repairing:  r.planRepair(state, record, resp),
		leftovers:  len(state.Leftovers.Elements()) > 0,
		held:       ahead == fateHeld,
		unfinished: unfinished,
		drifted:    imported == nil && record.Operation == nil && r.warnDrift(ctx, req, state, plan, resp),
	}

	change.tagging = r.client != nil && !maps.Equal(tagged{state, given}.tags(), tagged{plan, r.defaultTags()}.tags())

	if change == (inPlace{}) && sameMachine(state, plan) {
		resp.Plan.Raw = req.State.Raw

		return
	}

	r.planInPlace(ctx, state, plan, change, resp)
}

// sameMachine reports whether the plan asks nothing of the machine that it is not.
func sameMachine(state, plan allocationModel) bool {
	stateClass, _ := state.classModel()
	planClass, _ := plan.classModel()

	return state.Name.Equal(plan.Name) &&
		state.Tags.Equal(plan.Tags) &&
		state.Timeouts.Equal(plan.Timeouts) &&
		state.WaitUntil.Equal(plan.WaitUntil) &&
		state.OnTimeout.Equal(plan.OnTimeout) &&
		state.GracefulRelease.Equal(plan.GracefulRelease) &&
		state.PowerState.Equal(plan.PowerState) &&
		state.UserDataWOVersion.Equal(plan.UserDataWOVersion) &&
		state.UserDataOnChange.Equal(plan.UserDataOnChange) &&
		state.PrivateIP.Equal(plan.PrivateIP) &&
		state.HostName.Equal(plan.HostName) &&
		state.DeletionProtection.Equal(plan.DeletionProtection) &&
		state.InstanceTypeOnChange.Equal(plan.InstanceTypeOnChange) &&
		state.RetainDisksOnRelease.Equal(plan.RetainDisksOnRelease) &&
		len(resizedTo(state, plan)) == 0 &&
		len(alicloudChanged(stateClass.Alicloud, planClass.Alicloud)) == 0 &&
		stateClass.UID.Equal(planClass.UID) &&
		maps.Equal(state.wantedTags(), plan.wantedTags())
}

// warnKept names the inputs of the class that changed and that the machine keeps.
func (r *allocationResource) warnKept(state, plan allocationModel, resp *resource.ModifyPlanResponse) {
	before, _ := state.classPart()
	after, _ := plan.classPart()

	kept := alicloudKept(before, after, state)
	if len(kept) == 0 {
		return
	}

	resp.Diagnostics.AddWarning("Machine keeps what it was launched with",
		fmt.Sprintf("The machine %s (%s) keeps its %s. The class's new value applies to machines launched from now on; replace this one (-replace) to give it the new value.",
			state.Name.ValueString(), state.ProviderID.ValueString(), strings.Join(kept, ", ")))
}

// planInPlace plans an update. What the update will change has to be unknown in
// the plan, and everything else has to be what it is: the framework makes all or
// nothing unknown.
func (r *allocationResource) planInPlace(ctx context.Context, state, plan allocationModel, change inPlace, resp *resource.ModifyPlanResponse) {
	plan = state.withInputs(plan)

	if change.resuming {
		plan.unknow()
	}

	if change.repairing || change.drifted || (change.tagging && sameMachine(state, plan)) {
		// Nothing else shows that there is something to do.
		plan.Phase = types.StringUnknown()
	}

	if changesPower(state, plan) || change.unfinished == driver.UnfinishedPower {
		plan.Phase = types.StringUnknown()

		if changesAddress(state, plan) {
			plan.PublicIP = types.StringUnknown()
		}
	}

	// Whoever is stopped to be changed keeps its capacity, and its address.
	if !change.imported && (reinstalls(state, plan) || change.unfinished == driver.UnfinishedReinstall) {
		plan.Phase, plan.Image = types.StringUnknown(), types.StringUnknown()
	}

	if !change.imported && (change.unfinished == driver.UnfinishedResize || len(resizedTo(state, plan)) > 0) {
		plan.Phase, plan.InstanceType, plan.Offering = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	}

	if change.leftovers {
		plan.Leftovers = stringList(nil)
	}

	if change.imported {
		plan.Claim = types.StringUnknown()
		plan.Locator = types.StringUnknown()

		if r.client != nil {
			plan.Locator = r.planLocator(ctx, plan, resp)
		}
	}

	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// withInputs returns the model with the inputs of another, and the rest as it is.
func (m allocationModel) withInputs(inputs allocationModel) allocationModel {
	m.Name, m.Class, m.Tags, m.Timeouts = inputs.Name, inputs.Class, inputs.Tags, inputs.Timeouts
	m.UserDataWOVersion, m.UserDataOnChange = inputs.UserDataWOVersion, inputs.UserDataOnChange
	m.PrivateIP, m.HostName, m.DeletionProtection = inputs.PrivateIP, inputs.HostName, inputs.DeletionProtection
	m.InstanceTypeOnChange, m.RetainDisksOnRelease = inputs.InstanceTypeOnChange, inputs.RetainDisksOnRelease
	m.WaitUntil, m.OnTimeout, m.GracefulRelease = inputs.WaitUntil, inputs.OnTimeout, inputs.GracefulRelease
	m.PowerState = inputs.PowerState

	return m
}

// unknow makes everything unknown that a resumed launch may still change.
func (m *allocationModel) unknow() {
	for _, field := range []*types.String{
		&m.ID, &m.ProviderID, &m.ProviderResourceID, &m.NodeName, &m.InstanceType, &m.Zone,
		&m.Image, &m.Offering, &m.Charge, &m.PublicIP, &m.Phase, &m.Claim, &m.CreatedAt,
	} {
		*field = types.StringUnknown()
	}

	m.PrivateIPs = types.ListUnknown(types.StringType)
	m.LockReasons = types.ListUnknown(types.StringType)
	m.OwnedResources = types.ListUnknown(types.ObjectType{AttrTypes: ownedResourceTypes()})
}
