package rpcserver

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

const (
	tinyAddress = "registry.terraform.io/example/tiny"
	// waitCanceled is the error of a create that was canceled.
	waitCanceled = "the wait was canceled"
	// ownLine is the provider's own log line of every create.
	ownLine = "the tiny provider creates a thing"
	// secret stands in every panic value that a test provokes.
	secret = "s3cr3t-user-data"
	// nothing is the value of an object that does not exist.
	nothing = ""
)

// tinyProvider manages things that exist only in state. What a thing does
// depends on its value: "panic" and "index" panic, "wait" waits for the end of its context.
type tinyProvider struct {
	// entered is called when a waiting create has begun.
	entered func()
}

func (p *tinyProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "tiny"
}

func (p *tinyProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (p *tinyProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p *tinyProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &tinyThing{provider: p} }}
}

func (p *tinyProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *tinyProvider) Actions(context.Context) []func() action.Action { return nil }

type tinyThing struct{ provider *tinyProvider }

func (r *tinyThing) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_thing"
}

func (r *tinyThing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"value": schema.StringAttribute{Required: true},
	}}
}

// act does what value says and reports whether it was canceled.
func (r *tinyThing) act(ctx context.Context, value string) bool {
	switch value {
	case "panic":
		panic("user_data is " + secret)
	case "index":
		var empty []string
		_ = empty[len(value)]
	case "wait":
		if r.provider.entered != nil {
			r.provider.entered()
		}
		<-ctx.Done()
		return true
	}
	return false
}

func (r *tinyThing) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	tflog.Info(ctx, ownLine)
	var value types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("value"), &value)...)
	if r.act(ctx, value.ValueString()) {
		resp.Diagnostics.AddError(waitCanceled, "")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("value"), value)...)
}

func (r *tinyThing) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var value types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("value"), &value)...)
	r.act(ctx, value.ValueString())
}

func (r *tinyThing) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var value types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("value"), &value)...)
	r.act(ctx, value.ValueString())
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("value"), value)...)
}

func (r *tinyThing) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var value types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("value"), &value)...)
	r.act(ctx, value.ValueString())
}

// thing returns a tiny_thing with the value, or null for nothing.
func thing(t testing.TB, value string) *tfprotov6.DynamicValue {
	t.Helper()
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"value": tftypes.String}}
	raw := tftypes.NewValue(object, nil)
	if value != nothing {
		raw = tftypes.NewValue(object, map[string]tftypes.Value{"value": tftypes.NewValue(tftypes.String, value)})
	}
	dynamic, err := tfprotov6.NewDynamicValue(object, raw)
	if err != nil {
		t.Fatal(err)
	}
	return &dynamic
}

// applyRequest asks for the change of a tiny_thing from prior to planned.
func applyRequest(t testing.TB, prior, planned string) *tfprotov6.ApplyResourceChangeRequest {
	t.Helper()
	return &tfprotov6.ApplyResourceChangeRequest{
		TypeName:       "tiny_thing",
		PriorState:     thing(t, prior),
		PlannedState:   thing(t, planned),
		Config:         thing(t, planned),
		PlannedPrivate: []byte(`{"record":"eyJhIjoxfQ=="}`),
	}
}
