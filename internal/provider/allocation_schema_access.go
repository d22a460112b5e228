package provider

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// The values of user_data_on_change.
const (
	onUserDataReplace   = "replace"
	onUserDataIgnore    = "ignore"
	onUserDataReinstall = "reinstall"
)

// The values of instance_type_on_change.
const (
	onTypeReplace = "replace"
	onTypeResize  = "resize"
)

// passwordArgument is the write-only password.
const passwordArgument = "password_wo"

// hostNamePattern takes dots and hyphens neither first, nor last, nor side by side.
var hostNamePattern = regexp.MustCompile(`^[a-zA-Z0-9]+([.-][a-zA-Z0-9]+)*$`)

func userDataOnChangeAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "What a change of `user_data_wo_version` does: `replace` (default) replaces the machine; `ignore` keeps it as it is, and only a later machine gets the data; " +
			"`reinstall` keeps the machine, its addresses and its data disks, and gives it a new system disk from the class's image, from which it boots with the new data. " +
			"**What is on the old system disk is lost then.** It is stopped for that without giving its capacity up, which a replacement would.",
		Validators: []validator.String{stringvalidator.OneOf(onUserDataReplace, onUserDataIgnore, onUserDataReinstall)},
	}
}

func instanceTypeOnChangeAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "What happens when the class's `instance_types` no longer have the machine's own: `replace` (default) replaces the machine; `resize` stops it, makes it the first of them " +
			"that it can become where it is, and starts it again; its ID, its disks and its addresses stay. Where ECS refuses all of them, it is started as what it was. " +
			"For machines on demand and spot machines. ECS lets five minutes pass between two such changes.",
		Validators: []validator.String{stringvalidator.OneOf(onTypeReplace, onTypeResize)},
	}
}

func passwordAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, WriteOnly: true,
		MarkdownDescription: "Password of the machine's `root` or `Administrator` (`Password`): 8 to 30 characters, of three of these kinds: capital letters, small letters, digits, " +
			"and any of ``()`~!@#$%^&*-_+=|{}[]:;'<>,.?/``. It is handed to ECS at launch and stored nowhere; a later change does nothing. Default: none, and the image's own counts. " +
			"A class with a key pair turns login by password off.",
		Validators: []validator.String{passwordValidator{}},
	}
}

// passwordValidator refuses passwords that ECS would refuse. It never shows them.
type passwordValidator struct{}

// Description implements validator.String.
func (passwordValidator) Description(context.Context) string {
	return "8 to 30 characters of three kinds"
}

// MarkdownDescription implements validator.String.
func (v passwordValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// allowedSigns are the signs of a password (RunInstances, "Password").
const allowedSigns = "()`~!@#$%^&*-_+=|{}[]:;'<>,.?/"

// ValidateString implements validator.String.
func (passwordValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	kinds := map[string]bool{}
	length := 0

	for _, char := range req.ConfigValue.ValueString() {
		length++

		switch {
		case char > unicode.MaxASCII:
			kinds["other"] = true
		case unicode.IsUpper(char):
			kinds["capital"] = true
		case unicode.IsLower(char):
			kinds["small"] = true
		case unicode.IsDigit(char):
			kinds["digit"] = true
		case strings.ContainsRune(allowedSigns, char):
			kinds["sign"] = true
		default:
			kinds["other"] = true
		}
	}

	if length < 8 || length > 30 || len(kinds) < 3 || kinds["other"] {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid password",
			req.Path.String()+": ECS takes a password of 8 to 30 characters, of three of these kinds and of no other: capital letters, small letters, digits, and the signs "+allowedSigns)
	}
}

// addressValidator takes a private IPv4 address.
type addressValidator struct{}

// Description implements validator.String.
func (addressValidator) Description(context.Context) string { return "an IPv4 address" }

// MarkdownDescription implements validator.String.
func (v addressValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (addressValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	if address, err := netip.ParseAddr(req.ConfigValue.ValueString()); err != nil || !address.Is4() {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid address",
			fmt.Sprintf("%s: want an IPv4 address such as 10.0.0.10; %q is none.", req.Path, req.ConfigValue.ValueString()))
	}
}
