package provider

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// emptyState is a state with nothing in it but nulls.
func emptyState(t *testing.T) tfsdk.State {
	t.Helper()

	schema := allocationSchema(t.Context())

	return tfsdk.State{Schema: schema, Raw: tftypes.NewValue(schema.Type().TerraformType(t.Context()), nil)}
}

// modelOf reads a model of a state in which nothing is set.
func modelOf(t *testing.T) allocationModel {
	t.Helper()

	state := emptyState(t)

	values := map[string]tftypes.Value{}
	for name, attribute := range state.Schema.GetAttributes() {
		values[name] = tftypes.NewValue(attribute.GetType().TerraformType(t.Context()), nil)
	}

	state.Raw = tftypes.NewValue(state.Schema.Type().TerraformType(t.Context()), values)

	var model allocationModel
	if diagnostics := state.Get(t.Context(), &model); diagnostics.HasError() {
		t.Fatal(diagnostics)
	}

	return model
}

func TestAModelGoesThroughStateUnchanged(t *testing.T) {
	t.Parallel()

	owned := []v1alpha3.ProviderOwnedResource{
		{Kind: v1alpha3.OwnedResourceInstance, ID: "i-1", Region: "cn-hangzhou"},
		{Kind: "Disk", ID: "d-1", Region: "cn-hangzhou", OutlivesHost: true},
	}

	model := modelOf(t)
	model.Name = types.StringValue("worker-a")
	model.Class = classObject(t, launchedClass(t))
	model.Tags = numberedTags("own", 2)
	model.OwnedResources = ownedResourcesList(owned)
	model.observed(&driver.ObservedMachine{
		ProviderID: "cn-hangzhou.i-1", ResourceID: "i-1", NodeName: "izi1z", Phase: driver.MachinePhaseRunning, InstanceType: "ecs.g7.large",
		Zone: "cn-hangzhou-h", Image: "m-1", CapacityType: "on_demand", PrivateIPs: []string{"10.0.0.1"}, PublicIP: "1.2.3.4",
		CreatedAt: time.Date(2026, 11, 29, 20, 0, 0, 0, time.FixedZone("CST", 8*3600)),
	})
	model.settle()

	state := emptyState(t)
	if diagnostics := state.Set(t.Context(), model); diagnostics.HasError() {
		t.Fatal(diagnostics)
	}

	var back allocationModel
	if diagnostics := state.Get(t.Context(), &back); diagnostics.HasError() {
		t.Fatal(diagnostics)
	}

	if got := back.ownedResources(); len(got) != 2 || got[0] != owned[0] || got[1] != owned[1] {
		t.Errorf("owned are %+v, want %+v", got, owned)
	}

	if got := back.CreatedAt.ValueString(); got != "2026-11-29T12:00:00Z" {
		t.Errorf("created at %s", got)
	}

	if back.ID != back.ProviderID || back.PublicIP.ValueString() != "1.2.3.4" || !back.Class.Equal(model.Class) || !back.Tags.Equal(model.Tags) {
		t.Errorf("got %+v", back)
	}

	identity, known := back.identity("owner")
	if want := (lifecycle.Identity{Owner: "owner", ClassUID: "uid-1", Name: "worker-a"}); !known || identity != want {
		t.Errorf("the identity is %+v", identity)
	}
}

func TestFieldsThatAnAnswerLeavesOutAreNull(t *testing.T) {
	t.Parallel()

	model := modelOf(t)
	model.observed(&driver.ObservedMachine{ProviderID: "cn-hangzhou.i-1", ResourceID: "i-1", Phase: driver.MachinePhaseUnknown})

	for name, value := range map[string]attr.Value{
		"node_name": model.NodeName, "instance_type": model.InstanceType, "zone": model.Zone, "image": model.Image, "charge": model.Charge,
		"public_ip": model.PublicIP, "created_at": model.CreatedAt,
	} {
		if !value.IsNull() {
			t.Errorf("%s is %s", name, value)
		}
	}

	if model.PrivateIPs.IsNull() || model.LockReasons.IsNull() {
		t.Errorf("lists are null: %s, %s", model.PrivateIPs, model.LockReasons)
	}
}

func TestWhatIsHalfKnownCanBeStored(t *testing.T) {
	t.Parallel()

	model := modelOf(t)
	model.unknow()
	model.Locator, model.Offering = types.StringUnknown(), types.StringUnknown()
	model.ID = types.StringValue("cn-hangzhou.i-1")
	model.settle()

	state := emptyState(t)
	if diagnostics := state.Set(t.Context(), model); diagnostics.HasError() {
		t.Fatal(diagnostics)
	}

	if !state.Raw.IsFullyKnown() {
		t.Errorf("unknown is left in %s", state.Raw)
	}
}

func TestTheFingerprintChangesWithWhatReplacesAMachineOnly(t *testing.T) {
	t.Parallel()

	fingerprint := func(change map[string]attr.Value, edit func(*allocationModel)) string {
		class := launchedClass(t)
		for name, value := range change {
			class[name] = value
		}

		model := allocationModel{Class: classObject(t, class), UserDataWOVersion: wholeNumber{Int64Value: types.Int64Value(1)}}
		if edit != nil {
			edit(&model)
		}

		text, err := model.fingerprint()
		if err != nil {
			t.Fatal(err)
		}

		return text
	}

	first := fingerprint(nil, nil)

	for name, other := range map[string]string{
		"region":     fingerprint(map[string]attr.Value{"region": types.StringValue("cn-shanghai")}, nil),
		"image":      fingerprint(map[string]attr.Value{"image_id": types.StringValue("m-2")}, nil),
		"family":     fingerprint(map[string]attr.Value{"image_id": types.StringNull(), "image_family": types.StringValue("m-1")}, nil),
		"disk":       fingerprint(map[string]attr.Value{"system_disk": disk(t, 60)}, nil),
		"data disks": fingerprint(map[string]attr.Value{"data_disks": input(t, "data_disks", []any{map[string]any{"size_gib": 40}})}, nil),
		"internet":   fingerprint(map[string]attr.Value{"internet": input(t, "internet", map[string]any{"bandwidth_out_mbps": 5})}, nil),
		"ipv6":       fingerprint(map[string]attr.Value{"ipv6": input(t, "ipv6", map[string]any{"address_count": 1})}, nil),
		"metadata":   fingerprint(map[string]attr.Value{"metadata_options": input(t, "metadata_options", map[string]any{"http_tokens": "required"})}, nil),
		"set":        fingerprint(map[string]attr.Value{"deployment_set_id": types.StringValue("ds-1")}, nil),
		"version":    fingerprint(nil, func(m *allocationModel) { m.UserDataWOVersion = wholeNumber{Int64Value: types.Int64Value(2)} }),
		"no version": fingerprint(nil, func(m *allocationModel) { m.UserDataWOVersion = wholeNumber{} }),
	} {
		if other == first {
			t.Errorf("the fingerprint does not tell another %s", name)
		}
	}

	for name, same := range map[string]string{
		"candidates": fingerprint(map[string]attr.Value{"instance_types": stringList([]string{"ecs.c7.large"})}, nil),
		"defaults": fingerprint(map[string]attr.Value{
			"system_disk":      input(t, "system_disk", map[string]any{"size_gib": 40, "encrypted": false, "burst_enabled": false, "provisioned_iops": 0}),
			"metadata_options": input(t, "metadata_options", map[string]any{"http_tokens": "optional", "http_endpoint": "enabled"}),
		}, nil),
		"groups": fingerprint(map[string]attr.Value{"security_group_ids": stringList([]string{"sg-2"})}, nil),
		"tags":   fingerprint(nil, func(m *allocationModel) { m.Tags = numberedTags("own", 1) }),
		"data":   fingerprint(nil, func(m *allocationModel) { m.UserDataWO = types.StringValue("secret") }),
	} {
		if same != first {
			t.Errorf("the fingerprint changes with %s", name)
		}
	}
}

// privateState is private state as the framework keeps it.
type privateState map[string][]byte

func (p privateState) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return p[key], nil
}

func (p privateState) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	p[key] = value

	return nil
}

func TestTheResumeRecordGoesThroughPrivateState(t *testing.T) {
	t.Parallel()

	var diagnostics diag.Diagnostics

	private := privateState{}
	want := lifecycle.Record{
		Operation: &lifecycle.PendingOperation{
			Provider: "Alicloud", Kind: v1alpha3.OperationHostAllocate, OperationUID: "uid", OperationID: "request", ResumeToken: "token",
			BeganAt: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), Stage: lifecycle.StageBegun, Attempts: 2,
		},
		OwnedResources: []v1alpha3.ProviderOwnedResource{{Kind: v1alpha3.OwnedResourceInstance, ID: "i-1", Region: "cn-hangzhou"}},
		Claim:          "claim",
	}
	writeRecord(t.Context(), private, want, &diagnostics)
	got := readRecord(t.Context(), private, &diagnostics)

	if diagnostics.HasError() || got.Operation == nil || *got.Operation != *want.Operation || got.Claim != want.Claim ||
		len(got.OwnedResources) != 1 || got.OwnedResources[0] != want.OwnedResources[0] {
		t.Errorf("got %+v, want %+v (%v)", got, want, diagnostics)
	}

	if machine := replacedMachine(got); machine != "cn-hangzhou.i-1" {
		t.Errorf("the machine in the record is %q", machine)
	}
}

func TestARecordThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct{ stored, want string }{
		"none":                {"", ""},
		"half of one":         {`{"version":1`, "cannot be read"},
		"of a later provider": {`{"version":99}`, "has version 99, and this provider reads versions 1 to 2. Use the version of the provider that wrote it, or a later one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var diagnostics diag.Diagnostics

			readRecord(t.Context(), privateState{recordKey: []byte(test.stored)}, &diagnostics)
			expectProblem(t, diagnostics, test.want)
		})
	}
}

func TestImportClaimsDiffer(t *testing.T) {
	t.Parallel()

	seen := map[string]bool{}
	for _, claim := range []string{importClaim("a", "i-1"), importClaim("a", "i-2"), importClaim("b", "i-1"), importClaim("a\x00i", "-1")} {
		if seen[claim] || len(claim) != 32 || strings.Trim(claim, "0123456789abcdef") != "" {
			t.Errorf("the claim %q is not one of its own", claim)
		}

		seen[claim] = true
	}
}
