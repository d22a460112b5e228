package provider

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// leastSessionSeconds and mostSessionSeconds bound a role's session (AssumeRole,
// "DurationSeconds").
const leastSessionSeconds, mostSessionSeconds = 900, 43200

// alicloudCredentialsModel is the part of the alicloud argument that says whose
// calls they are.
type alicloudCredentialsModel struct {
	AccessKeyID           types.String       `tfsdk:"access_key_id"`
	AccessKeySecret       types.String       `tfsdk:"access_key_secret"`
	SecurityToken         types.String       `tfsdk:"security_token"`
	Profile               types.String       `tfsdk:"profile"`
	SharedCredentialsFile types.String       `tfsdk:"shared_credentials_file"`
	ECSRoleName           types.String       `tfsdk:"ecs_role_name"`
	CredentialsURI        types.String       `tfsdk:"credentials_uri"`
	AssumeRole            []alicloudRole     `tfsdk:"assume_role"`
	AssumeRoleWithOIDC    *alicloudOIDCRoles `tfsdk:"assume_role_with_oidc"`
}

type alicloudRole struct {
	RoleARN           types.String `tfsdk:"role_arn"`
	SessionName       types.String `tfsdk:"session_name"`
	SessionExpiration wholeNumber  `tfsdk:"session_expiration"`
	Policy            types.String `tfsdk:"policy"`
	ExternalID        types.String `tfsdk:"external_id"`
}

type alicloudOIDCRoles struct {
	RoleARN           types.String `tfsdk:"role_arn"`
	OIDCProviderARN   types.String `tfsdk:"oidc_provider_arn"`
	OIDCTokenFile     types.String `tfsdk:"oidc_token_file"`
	OIDCToken         types.String `tfsdk:"oidc_token"`
	SessionName       types.String `tfsdk:"session_name"`
	SessionExpiration wholeNumber  `tfsdk:"session_expiration"`
	Policy            types.String `tfsdk:"policy"`
}

func alicloudCredentialAttributes() map[string]schema.Attribute {
	text := func(sensitive bool, description string, more ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, Sensitive: sensitive, MarkdownDescription: description,
			Validators: append([]validator.String{stringvalidator.LengthAtLeast(1)}, more...),
		}
	}
	beside := func(name string) validator.String {
		return stringvalidator.AlsoRequires(path.MatchRelative().AtParent().AtName(name))
	}

	return map[string]schema.Attribute{
		"access_key_id": text(false, "AccessKey ID. Default: the environment (`ALIBABA_CLOUD_ACCESS_KEY_ID`, `ALICLOUD_ACCESS_KEY`). "+
			"Prefer the environment: what stands in a configuration is read by many.", beside("access_key_secret")),
		"access_key_secret": text(true, "AccessKey secret. Default: the environment (`ALIBABA_CLOUD_ACCESS_KEY_SECRET`, `ALICLOUD_SECRET_KEY`).", beside("access_key_id")),
		"security_token": text(true, "STS token of temporary credentials. Default: the environment (`ALIBABA_CLOUD_SECURITY_TOKEN`, `ALICLOUD_SECURITY_TOKEN`).",
			beside("access_key_id")),
		"profile": text(false, "Profile of the Alibaba Cloud CLI (`aliyun configure`). Every mode but `RsaKeyPair` and `Anonymous` is supported. "+
			"Default: the environment variable `ALIBABA_CLOUD_PROFILE` or `ALICLOUD_PROFILE`, else the CLI's current profile."),
		"shared_credentials_file": text(false, "The CLI's file of profiles. Default: the environment variable `ALIBABA_CLOUD_CONFIG_FILE` or "+
			"`ALICLOUD_SHARED_CREDENTIALS_FILE`, else `~/.aliyun/config.json`."),
		"ecs_role_name": text(false, "RAM role of the ECS instance that Terraform runs on. Default: the environment variable `ALIBABA_CLOUD_ECS_METADATA` or "+
			"`ALICLOUD_ECS_ROLE_NAME`; where no credentials are found at all, whatever role the instance has."),
		"credentials_uri": text(false, "URI that answers temporary credentials. Default: the environment variable `ALIBABA_CLOUD_CREDENTIALS_URI` or `ALICLOUD_CREDENTIALS_URI`."),
		"assume_role": schema.ListNestedAttribute{
			Optional: true,
			MarkdownDescription: "RAM roles to assume one after the other: the first with the credentials above, each further one with those of the role before it. " +
				"Default: the role in the environment variable `ALICLOUD_ASSUME_ROLE_ARN`, or in `ALIBABA_CLOUD_ROLE_ARN` beside an AccessKey in the environment.",
			Validators: []validator.List{listvalidator.SizeAtLeast(1)},
			NestedObject: schema.NestedAttributeObject{Attributes: alicloudRoleAttributes(map[string]schema.Attribute{
				"external_id": text(false, "External ID that the role's trust policy asks for."),
			})},
		},
		"assume_role_with_oidc": schema.SingleNestedAttribute{
			Optional: true,
			MarkdownDescription: "A RAM role that is assumed by the token of an OIDC identity provider, as pods of ACK have one (RRSA). Default: the environment variables " +
				"`ALIBABA_CLOUD_ROLE_ARN`, `ALIBABA_CLOUD_OIDC_PROVIDER_ARN` and `ALIBABA_CLOUD_OIDC_TOKEN_FILE`.",
			Attributes: alicloudRoleAttributes(map[string]schema.Attribute{
				"oidc_provider_arn": schema.StringAttribute{
					Required: true, MarkdownDescription: "ARN of the identity provider.", Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				},
				"oidc_token_file": text(false, "File of the token, which is read anew for every session.",
					stringvalidator.ExactlyOneOf(path.MatchRelative().AtParent().AtName("oidc_token"))),
				"oidc_token": text(true, "The token itself; exactly one of it and `oidc_token_file`."),
			}),
		},
	}
}

// alicloudRoleAttributes are what every role to assume has, and more.
func alicloudRoleAttributes(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["role_arn"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "ARN of the role, such as `acs:ram::1234567890123456:role/deployer`.",
		Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
	attributes["session_name"] = schema.StringAttribute{
		Optional: true, MarkdownDescription: "Name of the session, which audit logs show. Default `" + defaultSessionName + "`.",
		Validators: []validator.String{stringvalidator.LengthBetween(2, 64)},
	}
	attributes["session_expiration"] = schema.Int64Attribute{
		CustomType: wholeNumberType{},
		Optional:   true, MarkdownDescription: "How long a session lasts, in seconds; it is renewed before it ends. Default 3600.",
		Validators: []validator.Int64{int64validator.Between(leastSessionSeconds, mostSessionSeconds)},
	}
	attributes["policy"] = schema.StringAttribute{
		Optional: true, MarkdownDescription: "Policy (JSON) that narrows what the session may do.", Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}

	return attributes
}

// defaultSessionName is what the roles' sessions are called that were given no name.
const defaultSessionName = "terraform-provider-machine"

// arguments are the credentials as the connector takes them.
func (model alicloudCredentialsModel) arguments(diagnostics *diag.Diagnostics) map[string]string {
	arguments := map[string]string{
		"accessKeyID":     model.AccessKeyID.ValueString(),
		"accessKeySecret": model.AccessKeySecret.ValueString(),
		"securityToken":   model.SecurityToken.ValueString(),
		"profile":         model.Profile.ValueString(),
		"profileFile":     model.SharedCredentialsFile.ValueString(),
		"instanceRole":    model.ECSRoleName.ValueString(),
		"credentialsURI":  model.CredentialsURI.ValueString(),
	}

	encode := func(name string, value any) {
		text, err := json.Marshal(value)
		if err != nil {
			diagnostics.AddError("Cannot use the credentials", "Encoding "+name+" failed: "+ownFault(err, "Nothing was called."))
		}

		arguments[name] = string(text)
	}

	if len(model.AssumeRole) > 0 {
		roles := make([]map[string]any, 0, len(model.AssumeRole))
		for _, role := range model.AssumeRole {
			roles = append(roles, map[string]any{
				"role_arn": role.RoleARN.ValueString(), "session_name": role.SessionName.ValueString(), "session_expiration": role.SessionExpiration.ValueInt64(),
				"policy": role.Policy.ValueString(), "external_id": role.ExternalID.ValueString(),
			})
		}

		encode("assumeRole", roles)
	}

	if role := model.AssumeRoleWithOIDC; role != nil {
		encode("assumeRoleWithOIDC", map[string]any{
			"role_arn": role.RoleARN.ValueString(), "session_name": role.SessionName.ValueString(), "session_expiration": role.SessionExpiration.ValueInt64(),
			"policy": role.Policy.ValueString(), "oidc_provider_arn": role.OIDCProviderARN.ValueString(), "oidc_token_file": role.OIDCTokenFile.ValueString(),
			"oidc_token": role.OIDCToken.ValueString(),
		})
	}

	return arguments
}
