package provider

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// clockFactorVariable makes waits as much shorter as the emulator's clock is
// faster. It is honored with loopback endpoints only.
const clockFactorVariable = "TF_MACHINE_CLOCK_FACTOR"

// protocolVariable is the protocol where the configuration names none.
const protocolVariable = "TF_MACHINE_PROTOCOL"

// clockOriginVariable is since when the emulator's clock runs fast.
const clockOriginVariable = "TF_MACHINE_CLOCK_ORIGIN"

type alicloudProviderModel struct {
	alicloudCredentialsModel

	Region               types.String            `tfsdk:"region"`
	Endpoints            *alicloudEndpointsModel `tfsdk:"endpoints"`
	Protocol             types.String            `tfsdk:"protocol"`
	Proxy                types.String            `tfsdk:"proxy"`
	CAFile               types.String            `tfsdk:"ca_file"`
	MaxRequestsPerMinute wholeNumber             `tfsdk:"max_requests_per_minute"`
}

type alicloudEndpointsModel struct {
	ECS types.String `tfsdk:"ecs"`
	VPC types.String `tfsdk:"vpc"`
	STS types.String `tfsdk:"sts"`
}

func alicloudProviderAttribute() schema.SingleNestedAttribute {
	endpoint := func(product string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Host (`host` or `host:port`) of " + product + ".",
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		}
	}

	attributes := map[string]schema.Attribute{
		"region": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Region of classes that name none, such as `cn-hangzhou`. Default: the environment variable `ALIBABA_CLOUD_REGION`, " +
				"`ALICLOUD_REGION` or `ALIBABACLOUD_REGION`, else the region of the profile.",
			Validators: []validator.String{regionValidator()},
		},
		"endpoints": schema.SingleNestedAttribute{
			Optional: true,
			MarkdownDescription: "Hosts to call instead of Alibaba Cloud's own. Default: the environment variables `ALIBABA_CLOUD_ENDPOINT_ECS`, " +
				"`ALIBABA_CLOUD_ENDPOINT_VPC` and `ALIBABA_CLOUD_ENDPOINT_STS`, then the hosts of the region.",
			Attributes: map[string]schema.Attribute{
				"ecs": endpoint("ECS"),
				"vpc": endpoint("VPC"),
				"sts": endpoint("STS"),
			},
		},
		"protocol": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "`https` (default) or `http`. Plain HTTP shows user data to everybody on the way and is for the emulator. Default: the environment variable `TF_MACHINE_PROTOCOL`.",
			Validators:          []validator.String{stringvalidator.OneOf("https", "http")},
		},
		"proxy": schema.StringAttribute{
			Optional:  true,
			Sensitive: true,
			MarkdownDescription: "URL of the proxy that all calls take, such as `http://proxy.example.com:3128` (`http`, `https` or `socks5`), with a login if it wants one. " +
				"Default: the environment variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"ca_file": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "File of certificates (PEM) that servers and proxies are trusted by, beside those of the system.",
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"max_requests_per_minute": schema.Int64Attribute{
			CustomType: wholeNumberType{},
			Optional:   true,
			MarkdownDescription: "The most calls of each API action that the provider makes in a region in a minute. Alibaba Cloud counts the calls of a whole account, so that this leaves room " +
				"for others. Default: as many as Alibaba Cloud lets through; the provider finds out by itself.",
			Validators: []validator.Int64{int64validator.AtLeast(1)},
		},
	}
	maps.Copy(attributes, alicloudCredentialAttributes())

	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "How Alibaba Cloud is reached. Everything in it can come from the environment instead.",
		Attributes:          attributes,
	}
}

// alicloudSettings are the settings and credentials that the configuration and the
// environment give.
func (p *machineProvider) alicloudSettings(ctx context.Context, model providerModel, diagnostics *diag.Diagnostics) (driver.Settings, *machineops.OperationAuth) {
	alicloud := model.Alicloud
	if alicloud == nil {
		alicloud = &alicloudProviderModel{}
	}

	settings := driver.Settings{
		Owner:     model.Owner.ValueString(),
		Region:    alicloud.Region.ValueString(),
		Protocol:  alicloud.Protocol.ValueString(),
		Endpoints: map[string]string{},

		EndpointOrigins: map[string]string{},

		Proxy:     alicloud.Proxy.ValueString(),
		CAFile:    alicloud.CAFile.ValueString(),
		UserAgent: p.userAgent(),
		Logger:    slog.New(logHandler{}),

		MaxRequestsPerMinute: int(alicloud.MaxRequestsPerMinute.ValueInt64()),
	}

	if endpoints := alicloud.Endpoints; endpoints != nil {
		for product, host := range map[string]types.String{"ecs": endpoints.ECS, "vpc": endpoints.VPC, "sts": endpoints.STS} {
			settings.Endpoints[product] = host.ValueString()
			settings.EndpointOrigins[product] = "alicloud.endpoints." + product + " of the provider block"
		}
	}

	arguments := alicloud.arguments(diagnostics)
	settings = p.connector.Complete(settings, arguments)

	if protocol := settings.Protocol; protocol != "" && protocol != "https" && protocol != "http" {
		diagnostics.AddError("Invalid "+protocolVariable, fmt.Sprintf("The environment variable %s has to be https or http; it is %q.", protocolVariable, protocol))
	}

	settings.Clock = p.clock(ctx, settings, diagnostics)
	settings.Meetings = lifecycle.NoFaster(settings.Clock)

	auth, err := p.connector.Auth(settings, arguments)
	if err != nil {
		diagnostics.AddAttributeError(path.Root("alicloud"), "Cannot use the credentials",
			"The credentials for Alibaba Cloud cannot be used: "+err.Error()+".")
	}

	return settings, auth
}

// clock returns the clock that waits follow. That a factor is not honored is for the log
// alone: nothing is wrong then but that waits last as long as they do, and where the
// endpoint is not the one that was meant, the calls say so.
func (p *machineProvider) clock(ctx context.Context, settings driver.Settings, diagnostics *diag.Diagnostics) clock.WithTickerAndDelayedExecution {
	wall := clock.RealClock{}

	text, set := p.lookupEnv(clockFactorVariable)
	if !set || text == "" {
		return wall
	}

	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(factor) || math.IsInf(factor, 0) || factor <= 0 {
		diagnostics.AddError("Invalid "+clockFactorVariable, "The environment variable "+clockFactorVariable+" has to be a number above 0, such as 20; it is "+strconv.Quote(text)+".")

		return wall
	}

	if !loopback(settings.Endpoints["ecs"]) {
		settings.Logger.WarnContext(ctx, clockFactorVariable+" is not honored: it shortens waits for an emulator on this machine, and the ECS endpoint is not on a loopback address",
			"endpoint", settings.Endpoints["ecs"])

		return wall
	}

	origin, err := p.clockOrigin(wall.Now())
	if err != nil {
		diagnostics.AddError("Invalid "+clockOriginVariable, "The environment variable "+clockOriginVariable+" has to be the time (RFC 3339) since which the emulator's clock runs fast: "+err.Error()+".")
	}

	return lifecycle.ScaledClockSince(wall, factor, origin)
}

// clockOrigin is since when the emulator's clock runs fast; now where it is not
// told.
func (p *machineProvider) clockOrigin(now time.Time) (time.Time, error) {
	text, set := p.lookupEnv(clockOriginVariable)
	if !set || text == "" {
		return now, nil
	}

	return time.Parse(time.RFC3339Nano, text)
}

// loopback reports whether an endpoint is on this machine by its very text: a name
// other than localhost could be anywhere.
func loopback(endpoint string) bool {
	host := strings.TrimPrefix(strings.TrimPrefix(endpoint, "http://"), "https://")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}

	if host == "localhost" {
		return true
	}

	ip := net.ParseIP(strings.Trim(host, "[]"))

	return ip != nil && ip.IsLoopback()
}
