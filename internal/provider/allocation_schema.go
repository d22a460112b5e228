package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ownedResourceTypes is one element of owned_resources.
func ownedResourceTypes() map[string]attr.Type {
	return map[string]attr.Type{
		"kind":          types.StringType,
		"id":            types.StringType,
		"region":        types.StringType,
		"outlives_host": types.BoolType,
	}
}

// The values of wait_until and on_timeout.
const (
	waitUntilRunning  = "running"
	waitUntilAccepted = "accepted"
	onTimeoutFail     = "fail"
	onTimeoutContinue = "continue"
)

// mostGrace keeps a stop within what a release may take.
const mostGrace = 30 * time.Minute

func allocationSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One machine of a `machine_class`: launched on create, given back on destroy.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the allocation and of the machine: 2 to 100 letters, digits, dots, underscores or hyphens, beginning with a letter. " +
					"It is unique per owner, account and region. A change is made in place: the machine is renamed, and its name tag rewritten.",
				Validators: []validator.String{nameValidator()},
			},
			"class": schema.ObjectAttribute{
				Required: true, AttributeTypes: classObjectTypes(),
				MarkdownDescription: "The class, whole: `class = machine_class.worker`. A change of what a running machine cannot follow (region, image, disks, public address, metadata options) replaces the machine; " +
					"a change of the lists of candidates, or of requirements, only where the machine no longer fits; security groups, key pair, RAM role and tags are changed in place. The guide on capacity says what each change does.",
			},
			"user_data_wo": schema.StringAttribute{
				Optional: true, WriteOnly: true,
				MarkdownDescription: "First-boot data (cloud-init), as text of at most 32 KiB. It is handed to ECS and stored nowhere: not in state, plan or log. " +
					"Needs Terraform 1.11 or OpenTofu 1.11.",
				Validators: []validator.String{
					stringvalidator.LengthAtLeast(1),
					stringvalidator.ConflictsWith(path.MatchRoot("user_data_wo_base64")),
					stringvalidator.AlsoRequires(path.MatchRoot("user_data_wo_version")),
					userDataValidator{},
				},
			},
			"user_data_wo_base64": schema.StringAttribute{
				Optional: true, WriteOnly: true,
				MarkdownDescription: "First-boot data as Base64, for data that is not UTF-8 text (a gzip archive, say); at most 32 KiB decoded.",
				Validators: []validator.String{
					stringvalidator.LengthAtLeast(1),
					stringvalidator.AlsoRequires(path.MatchRoot("user_data_wo_version")),
					userDataValidator{base64: true},
				},
			},
			"user_data_wo_version": schema.Int64Attribute{
				CustomType: wholeNumberType{},
				Optional:   true,
				MarkdownDescription: "Version of the first-boot data. Terraform cannot see that write-only data changed: raise this number with it. " +
					"What a change does says `user_data_on_change`.",
				Validators: []validator.Int64{int64validator.AtLeast(0)},
			},
			"user_data_on_change": userDataOnChangeAttribute(),
			"password_wo":         passwordAttribute(),
			"private_ip": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Private IPv4 address of the machine, in the range of one of the class's vSwitches, where it is launched then. Default: the vSwitch gives one. " +
					"A change to an address that the machine does not have replaces it; to destroy the old one first is the only way to keep an address.",
				Validators: []validator.String{addressValidator{}},
			},
			"host_name": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Host name (`HostName`), 2 to 64 letters and digits with single dots or hyphens between them; the machine registers with Kubernetes under it. Default: ECS derives one from the instance ID. " +
					"A change to another than `node_name` replaces the machine.",
				Validators: []validator.String{stringvalidator.LengthBetween(2, 64), stringvalidator.RegexMatches(hostNamePattern, "must be letters and digits, with single dots or hyphens between them")},
			},
			"instance_type_on_change": instanceTypeOnChangeAttribute(),
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "`true` lets neither Terraform nor anybody else release the machine before it is `false` again, which takes an apply of its own. A change is made in place. " +
					"For machines on demand only. Default: left alone.",
			},
			"tags": tagsAttribute("Tags of the machine, over those of the class. A change is made in place; tags that were never set here are left alone."),
			"wait_until": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "When creating is over: `running` (default), or `accepted`, as soon as the launch is accepted and the machine was seen once. " +
					"With `accepted` a fleet starts at the speed of the API, and what depends on a machine must wait for it by itself.",
				Validators: []validator.String{stringvalidator.OneOf(waitUntilRunning, waitUntilAccepted)},
			},
			"on_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What happens to a machine that was seen and does not run in time: `fail` (default) is an error, and Terraform marks the machine as tainted, to be replaced; " +
					"`continue` keeps it as `Allocating` with a warning, and the next apply goes on waiting.",
				Validators: []validator.String{stringvalidator.OneOf(onTimeoutFail, onTimeoutContinue)},
			},
			"power_state": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Whether the machine is `running` or `stopped`. A change is made in place, and a machine that somebody stopped or started shows as a difference. " +
					"`stopped` launches the machine, and shuts it down. Default: the machine is launched, and its power is left alone. Do not use it together with a " +
					"`machine_operation` that changes the power of the same machine.",
				Validators: []validator.String{stringvalidator.OneOf(powerRunning, powerStopped)},
			},
			"graceful_release": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long the machine may take to shut down, as from within, before it is released, as a duration such as `90s`; at most `30m`. " +
					"A destroy that follows one that was interrupted meanwhile gives it that time anew, and does not ask it to shut down again. " +
					"Default: it is released without a shutdown.",
				Validators: []validator.String{durationValidator{least: time.Second, most: mostGrace}},
			},
			retainDisksArgument: retainDisksAttribute(),
			"timeouts": timeoutsAttribute(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long to wait for the machine to run. Default `10m`.",
				Read: true, ReadDescription: "How long to try to read the machine. Default `5m`.",
				Update: true, UpdateDescription: "How long an update may take. Default `10m`.",
				Delete: true, DeleteDescription: "How long to wait for the machine to be gone. Default `20m`.",
			}),

			"id":                   computedString("The machine's provider ID, the same as `provider_id`."),
			"provider_id":          computedString("The machine's provider ID, `<region>.<instance-id>`, as in a Kubernetes node's `spec.providerID`."),
			"locator":              computedString("The machine's identity before it exists, computed at plan."),
			"provider_resource_id": computedString("ECS instance ID."),
			"node_name":            computedString("Name under which the machine registers with Kubernetes."),
			"instance_type":        computedString("Instance type that was chosen."),
			"zone":                 computedString("Zone that was chosen."),
			"image":                computedString("Image that was launched."),
			"offering":             computedString("Offering that was launched: instance type, vSwitch and capacity type. Of a machine that was taken over or imported, the one that it is."),
			"charge":               computedString("How the machine is paid for: `on_demand`, `spot` or `subscription`."),
			"private_ips": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Private IPv4 addresses.",
			},
			"public_ip": computedString("Public IPv4 address, where there is one."),
			"phase": computedString("What the machine is doing: `Allocating`, `Running`, `Stopped`, `Reclaiming` (a spot machine that ECS takes back), " +
				"`Locked`, `Releasing` or `Unknown`."),
			"lock_reasons": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Why ECS has locked the machine, where it has.",
			},
			"owned_resources": schema.ListAttribute{
				Computed: true, ElementType: types.ObjectType{AttrTypes: ownedResourceTypes()},
				MarkdownDescription: "What was created for the allocation. Destroying it touches these and nothing else.",
			},
			"leftovers": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Provider IDs of machines that were launched for this allocation beside the one it has, by an apply that was interrupted, and that no state holds. " +
					"A plan shows an in-place update that empties the list: applying it releases them.",
			},
			"claim":      computedString("Mark of the run that holds the machine. A machine under another mark is never released."),
			"created_at": computedString("When the machine was created, RFC 3339, to the minute."),
		},
	}
}

func computedString(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}
