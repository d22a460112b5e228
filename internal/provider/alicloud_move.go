package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

var _ resource.ResourceWithMoveState = (*allocationResource)(nil)

// alicloudInstanceType is the resource of the vendor's provider that stands for one
// machine, and alicloudProviderName the type name of that provider.
const (
	alicloudInstanceType = "alicloud_instance"
	alicloudProviderName = "alicloud"
)

// alicloudInstance is what is taken over of an alicloud_instance. All of its versions
// have these attributes; whatever else the machine is, the Read that follows finds.
type alicloudInstance struct {
	ID               string `json:"id"`
	Name             string `json:"instance_name"`
	AvailabilityZone string `json:"availability_zone"`
	InstanceType     string `json:"instance_type"`
	ImageID          string `json:"image_id"`
}

// alicloudZonePattern is a zone: a region, and one letter after it or after a hyphen.
var alicloudZonePattern = regexp.MustCompile(`^([a-z][a-z0-9]*(?:-[a-z0-9]+)*?)(?:-?[a-z])$`)

// MoveState implements resource.ResourceWithMoveState: a machine changes provider
// without anything being asked of the cloud. Terraform calls it on a resource that
// knows no provider block, so the region is that of the machine's zone.
func (r *allocationResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveAlicloudInstance}}
}

func moveAlicloudInstance(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if req.SourceTypeName != alicloudInstanceType || !alicloudSource(req.SourceProviderAddress) {
		return
	}

	var instance alicloudInstance

	if err := json.Unmarshal(req.SourceRawState.JSON, &instance); err != nil {
		resp.Diagnostics.AddError("Cannot move the machine", fmt.Sprintf("The state of the %s cannot be read: %s. Run terraform apply -refresh-only with the vendor's provider first; or import the machine instead.", alicloudInstanceType, err))

		return
	}

	region := alicloudRegionOf(instance.AvailabilityZone)

	if instance.ID == "" || region == "" {
		resp.Diagnostics.AddError("Cannot move the machine",
			fmt.Sprintf("The state of the %s has the ID %q and the availability zone %q, which do not tell which machine it is. Run terraform apply -refresh-only with the vendor's provider first; "+
				"or import the machine instead: remove the moved block, terraform state rm the old address, and add an import block with the ID <region>.<instance-id>.",
				alicloudInstanceType, instance.ID, instance.AvailabilityZone))

		return
	}

	machine := &driver.ObservedMachine{
		ProviderID: driver.ProviderID{Region: region, ResourceID: instance.ID}.String(), Region: region, ResourceID: instance.ID,
		Name: instance.Name, Zone: instance.AvailabilityZone, InstanceType: instance.InstanceType, Image: instance.ImageID,
	}

	storeMoved(ctx, machine, resp)
}

// alicloudSource reports whether a provider that the command names as the source of a
// move is the vendor's. OpenTofu reads it from the resource in state, which the first
// instance that was moved has given this provider: for all further ones it names the target.
func alicloudSource(address string) bool {
	return strings.HasSuffix(address, "/"+alicloudProviderName) || strings.HasSuffix(address, "/"+TypeName)
}

// alicloudRegionOf is the region of a zone: cn-hangzhou of cn-hangzhou-h, and
// ap-southeast-1 of ap-southeast-1a. It is empty where the text is no zone.
func alicloudRegionOf(zone string) string {
	parts := alicloudZonePattern.FindStringSubmatch(zone)
	if parts == nil || !regionPattern.MatchString(parts[1]) {
		return ""
	}

	return parts[1]
}

// storeMoved stores what is known of a machine that was moved here, so that it can be
// planned and released also where nothing is refreshed.
func storeMoved(ctx context.Context, machine *driver.ObservedMachine, resp *resource.MoveStateResponse) {
	var record lifecycle.Record

	model := emptyAllocation(ctx, &resp.Diagnostics)

	model.ID = types.StringValue(machine.ProviderID)
	model.ProviderID = model.ID
	model.ProviderResourceID = types.StringValue(machine.ResourceID)
	model.Name = types.StringValue(importedName(machine))
	model.Class = importedClass(ctx, machine)
	model.InstanceType = stringOrNull(machine.InstanceType)
	model.Zone = stringOrNull(machine.Zone)
	model.Image = stringOrNull(machine.Image)

	record.OwnedResources = ownedBy(machine)
	model.OwnedResources = ownedResourcesList(record.OwnedResources)

	var diagnostics diag.Diagnostics

	writeImport(ctx, resp.TargetPrivate, &importRecord{}, &diagnostics)
	writeRecord(ctx, resp.TargetPrivate, record, &diagnostics)
	identify(ctx, resp.TargetIdentity, model.ID, &diagnostics)
	diagnostics.Append(resp.TargetState.Set(ctx, model)...)
	resp.Diagnostics.Append(diagnostics...)
}
