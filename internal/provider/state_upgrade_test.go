package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// oldClass is the cloud's part of a class as it was stored when a class had fewer
// inputs.
const oldClass = `{"region":"cn-hangzhou","image_id":"m-acme2","image_family":null,"instance_types":["ecs.g7.large"],"capacity_types":null,"vswitch_ids":["vsw-a"],` +
	`"security_group_ids":["sg-1"],"system_disk":{"category":null,"size_gib":40,"performance_level":null},"key_pair_name":null,"ram_role_name":null,"tags":null}`

// A state that was stored when there were fewer inputs is read as if those that came
// since were left out, and is never a reason to replace a machine.
func TestAStateOfFewerInputsIsReadAsOneThatLeavesTheOthersOut(t *testing.T) {
	t.Parallel()

	server, err := providerserver.NewProtocol6WithError(New("test", AlicloudConnector{})())()
	if err != nil {
		t.Fatal(err)
	}

	upgraded := func(typeName, stored string, kind tftypes.Type) tftypes.Value {
		response, err := server.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{TypeName: typeName, RawState: &tfprotov6.RawState{JSON: []byte(stored)}})
		if err != nil {
			t.Fatal(err)
		}

		for _, diagnostic := range response.Diagnostics {
			t.Fatalf("%s: %s: %s", typeName, diagnostic.Summary, diagnostic.Detail)
		}

		state, err := response.UpgradedState.Unmarshal(kind)
		if err != nil {
			t.Fatal(err)
		}

		return state
	}

	upgraded("machine_class", `{"name":"worker","uid":"uid-1","release_leftovers":null,"alicloud":`+oldClass+`}`, classSchema().Type().TerraformType(t.Context()))

	kind := allocationSchema(t.Context()).Type().TerraformType(t.Context())
	state := upgraded("machine_allocation", `{"name":"worker-a","id":"cn-hangzhou.i-1","instance_type":"ecs.g7.large","charge":"on_demand","offering":"ecs.g7.large/vsw-a/on_demand",`+
		`"class":{"name":"worker","uid":"uid-1","alicloud":`+oldClass+`}}`, kind)

	model := emptyState(t)
	model.Raw = state

	var known allocationModel
	if diagnostics := model.Get(t.Context(), &known); diagnostics.HasError() {
		t.Fatal(diagnostics)
	}

	before, ok := known.classPart()
	if !ok {
		t.Fatal("the state has no class")
	}

	after := plainClass(t, plainly{
		"region": "cn-hangzhou", "image_id": "m-acme2", "instance_types": []string{"ecs.g7.large"}, "vswitch_ids": []string{"vsw-a"},
		"security_group_ids": []string{"sg-1"}, "system_disk": plainly{"size_gib": 40},
	})

	if reasons := alicloudMismatch(before, after, known, nil); reasons != nil {
		t.Errorf("the machine would be replaced: %q", reasons)
	}

	if kept := alicloudKept(before, after, known); kept != nil {
		t.Errorf("the machine would keep %q", kept)
	}

	if changed := alicloudChanged(before, after); changed != nil {
		t.Errorf("the machine would be given other %q", changed)
	}

	// The inputs of the allocation that came since are left out (F067).
	if inputs := replacingInputs(known, known, true); inputs != nil || reinstalls(known, known) || resizedTo(known, known) != nil {
		t.Errorf("the machine would be replaced for %v", inputs)
	}
}
