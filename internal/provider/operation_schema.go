package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/boolvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The names of the write-only first-boot data.
const (
	replaceUserData       = "replace_user_data_wo"
	replaceUserDataBase64 = replaceUserData + "_base64"
)

// keepUserData is the name of the argument in place of them.
const keepUserData = "keep_user_data"

func operationSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One act on one machine: it is carried out when the resource is created, once, however often the apply is interrupted. " +
			"Success means that its end was observed. Destroying the resource removes the record, not the effect.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the operation: 2 to 100 letters, digits, dots, underscores or hyphens, beginning with a letter. Another name is another operation, and two resources of one name, machine, kind and triggers are refused. " +
					"Configurations that share an owner have to give different operations on one machine different names.",
				Validators: []validator.String{nameValidator()},
			},
			"provider_id": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "The machine: a `machine_allocation`'s `provider_id`, or `<region>.<instance-id>` of any other. " +
					"On another machine the operation is carried out anew, which shows as an update in place; one that is known only after apply may turn out to be the same, and nothing is done then.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"kind": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "What is done: `HostPowerOn`, `HostPowerOff`, `HostReboot`, or `HostReplace` (a new system disk, made from an image; the machine keeps its ID, " +
					"its network card and its addresses, and runs afterwards).",
				Validators: []validator.String{operationKindValidator{}},
			},
			"parameters": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "How it is done; each kind takes its own. " +
					"`force` (all but `HostPowerOn`): `true` cuts or resets the power, and data that is not yet written may be lost. " +
					"`graceful_timeout` (`HostPowerOff`, `HostReplace`): how long the machine may take to shut down, such as `5m`; the operation fails then. " +
					"`force_after_timeout`: `true` cuts the power then instead. A graceful stop is never forced otherwise. " +
					"`stopped_mode` (`HostPowerOff`): `KeepCharging` or `StopCharging`; the account's setting decides without it. " +
					"`image_id` (`HostReplace`): the image of the new disk. " +
					"`image_family` (`HostReplace`, instead of `image_id`): the family of which it is made from the newest image, when it is carried out; `message` tells which that was. " +
					"`system_disk_size_gib` (`HostReplace`): the size of the new disk; the old one's by default. " +
					"`console_output_on_failure`: `true` adds the end of the machine's console to the error of an operation that fails; boot scripts may have printed secrets there. " +
					"A change of `image_id`, `image_family`, `system_disk_size_gib` or `stopped_mode` is another operation; any other change does nothing. A null is the same as leaving its key out.",
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Values with another of which the operation is carried out again, such as a version of a kernel. A null is the same as leaving its key out.",
			},
			replaceUserData: schema.StringAttribute{
				Optional: true, WriteOnly: true,
				MarkdownDescription: "First-boot data (cloud-init) for `HostReplace`, as text of at most 32 KiB. It is handed to ECS and stored nowhere. Needs Terraform 1.11 or OpenTofu 1.11. " +
					"A change alone does nothing, since Terraform cannot see it: put a version into `triggers`.",
				Validators: []validator.String{
					stringvalidator.LengthAtLeast(1),
					stringvalidator.ConflictsWith(path.MatchRoot(replaceUserDataBase64), path.MatchRoot(keepUserData)),
					userDataValidator{},
				},
			},
			replaceUserDataBase64: schema.StringAttribute{
				Optional: true, WriteOnly: true,
				MarkdownDescription: "First-boot data as Base64, for data that is not UTF-8 text; at most 32 KiB decoded.",
				Validators: []validator.String{
					stringvalidator.LengthAtLeast(1),
					stringvalidator.ConflictsWith(path.MatchRoot(keepUserData)),
					userDataValidator{base64: true},
				},
			},
			keepUserData: schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "`true` lets `HostReplace` leave the first-boot data as it is; the machine runs it again from its new disk.",
				Validators:          []validator.Bool{boolvalidator.Equals(true)},
			},
			"timeouts": timeoutsAttribute(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long the operation may take, with the wait for others on the same machine. Default `20m`. After it, applying again goes on waiting.",
				Update: true, UpdateDescription: "How long it may take to go on with an operation that was interrupted. Default `20m`.",
			}),

			"phase":        computedString("How far the operation has come: `Pending`, `InProgress`, `Complete` or `Failed`."),
			"reason":       computedString("Why it is not complete, as one word."),
			"message":      computedString("What was observed."),
			"started_at":   computedString("When it was first asked for, RFC 3339."),
			"completed_at": computedString("When its end was observed, RFC 3339."),
			"operation_id": computedString("Tells one carrying out of the operation from the next. The machine's tag `terraform-machine/operation` holds it while it is under way."),
		},
	}
}
