package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// protocol speaks to the provider as later versions of Terraform do, which the command
// on this machine may not be.
type protocol struct {
	*testing.T

	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
}

const allocationType = "machine_allocation"

// newProtocol returns a provider that is configured for the cloud.
func newProtocol(t *testing.T, cloud *acctest.Cloud) *protocol {
	t.Helper()

	return newProtocolAs(t, cloud, ecsemulator.AccessKey{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret})
}

// newProtocolAs is newProtocol with another access key.
func newProtocolAs(t *testing.T, cloud *acctest.Cloud, key ecsemulator.AccessKey) *protocol {
	t.Helper()

	return newProtocolTo(t, cloud.Endpoint(), key)
}

// newProtocolTo is newProtocolAs for whatever is at the endpoint. A key without an ID is
// left out.
func newProtocolTo(t *testing.T, endpoint string, key ecsemulator.AccessKey) *protocol {
	t.Helper()

	p := newProtocolUnconfigured(t)

	text := func(value string) tftypes.Value {
		if value == "" {
			return tftypes.NewValue(tftypes.String, nil)
		}

		return tftypes.NewValue(tftypes.String, value)
	}
	whole := p.objectType(p.schemas.Provider)
	alicloud := whole.AttributeTypes["alicloud"].(tftypes.Object)
	endpoints := alicloud.AttributeTypes["endpoints"].(tftypes.Object)

	config := p.encode(whole, objectOf(whole, map[string]tftypes.Value{
		"owner": text(acctest.Owner),
		"alicloud": objectOf(alicloud, map[string]tftypes.Value{
			"region": text(ecsemulator.DefaultRegionID), "access_key_id": text(key.ID),
			"access_key_secret": text(key.Secret), "protocol": text("http"),
			"endpoints": objectOf(endpoints, map[string]tftypes.Value{"ecs": text(endpoint), "vpc": text(endpoint), "sts": text(endpoint)}),
		}),
	}))

	response, err := p.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})
	if err != nil {
		t.Fatal(err)
	}

	p.expectNone(response.Diagnostics)

	return p
}

// newProtocolUnconfigured returns a provider as terraform validate has it.
func newProtocolUnconfigured(t *testing.T) *protocol {
	t.Helper()

	server, err := acctest.Factories()["machine"]()
	if err != nil {
		t.Fatal(err)
	}

	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}

	return &protocol{T: t, server: server, schemas: schemas}
}

// objectOf is an object of the type with nulls for what is not given.
func objectOf(kind tftypes.Object, given map[string]tftypes.Value) tftypes.Value {
	values := map[string]tftypes.Value{}

	for name, attribute := range kind.AttributeTypes {
		values[name] = tftypes.NewValue(attribute, nil)
		if value, there := given[name]; there {
			values[name] = value
		}
	}

	return tftypes.NewValue(kind, values)
}

func (p *protocol) objectType(schema *tfprotov6.Schema) tftypes.Object {
	p.Helper()

	kind, ok := schema.ValueType().(tftypes.Object)
	if !ok {
		p.Fatalf("the schema's type is %s", schema.ValueType())
	}

	return kind
}

func (p *protocol) encode(kind tftypes.Type, value tftypes.Value) *tfprotov6.DynamicValue {
	p.Helper()

	encoded, err := tfprotov6.NewDynamicValue(kind, value)
	if err != nil {
		p.Fatal(err)
	}

	return &encoded
}

// attributes decodes an object.
func (p *protocol) attributes(kind tftypes.Type, value *tfprotov6.DynamicValue) map[string]tftypes.Value {
	p.Helper()

	decoded, err := value.Unmarshal(kind)
	if err != nil {
		p.Fatal(err)
	}

	attributes := map[string]tftypes.Value{}
	if err := decoded.As(&attributes); err != nil {
		p.Fatal(err)
	}

	return attributes
}

// text is an attribute that is text.
func (p *protocol) text(attributes map[string]tftypes.Value, name string) string {
	p.Helper()

	var text string
	if err := attributes[name].As(&text); err != nil {
		p.Fatalf("%s: %v", name, err)
	}

	return text
}

func (p *protocol) expectNone(diagnostics []*tfprotov6.Diagnostic) {
	p.Helper()

	for _, diagnostic := range diagnostics {
		p.Fatalf("%s: %s: %s", diagnostic.Severity, diagnostic.Summary, diagnostic.Detail)
	}
}

// expectError wants exactly one error, whose text has the phrases.
func (p *protocol) expectError(diagnostics []*tfprotov6.Diagnostic, phrases ...string) {
	p.Helper()

	if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityError {
		p.Fatalf("the diagnostics are %v, want one error", diagnostics)
	}

	if text := diagnostics[0].Summary + ": " + diagnostics[0].Detail; !acctest.Text(phrases...).MatchString(text) {
		p.Errorf("the error is %q, want %q", text, phrases)
	}
}

// identityType is the type of a machine's identity.
func identityType() tftypes.Object {
	return tftypes.Object{AttributeTypes: map[string]tftypes.Type{"region": tftypes.String, "instance_id": tftypes.String}}
}

// identity is a machine's identity. An empty region is left out.
func (p *protocol) identity(region, instance string) *tfprotov6.ResourceIdentityData {
	p.Helper()

	given := map[string]tftypes.Value{"instance_id": tftypes.NewValue(tftypes.String, instance)}
	if region != "" {
		given["region"] = tftypes.NewValue(tftypes.String, region)
	}

	return &tfprotov6.ResourceIdentityData{IdentityData: p.encode(identityType(), objectOf(identityType(), given))}
}

// expectIdentity wants the identity of the machine.
func (p *protocol) expectIdentity(identity *tfprotov6.ResourceIdentityData, machine ecsemulator.Instance) {
	p.Helper()

	if identity == nil || identity.IdentityData == nil {
		p.Fatal("there is no identity")
	}

	attributes := p.attributes(identityType(), identity.IdentityData)
	if region, instance := p.text(attributes, "region"), p.text(attributes, "instance_id"); region != machine.RegionID || instance != machine.ID {
		p.Errorf("the identity is %s and %s, want that of %s in %s", region, instance, machine.ID, machine.RegionID)
	}
}

// dataSource reads a data source with arguments that are text.
func (p *protocol) dataSource(name string, arguments map[string]string) map[string]tftypes.Value {
	p.Helper()

	kind := p.objectType(p.schemas.DataSourceSchemas[name])

	given := map[string]tftypes.Value{}
	for name, value := range arguments {
		given[name] = tftypes.NewValue(tftypes.String, value)
	}

	read, err := p.server.ReadDataSource(p.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: p.encode(kind, objectOf(kind, given))})
	if err != nil {
		p.Fatal(err)
	}

	p.expectNone(read.Diagnostics)

	return p.attributes(kind, read.State)
}
