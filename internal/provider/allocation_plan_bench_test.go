package provider

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// BenchmarkPlanOfAMachineThatStays plans a machine whose class is as it was, which is
// what nearly every plan is about: the whole class is part of it.
func BenchmarkPlanOfAMachineThatStays(b *testing.B) {
	server, err := providerserver.NewProtocol6WithError(New("test", AlicloudConnector{})())()
	if err != nil {
		b.Fatal(err)
	}

	kind := allocationSchema(b.Context()).Type().TerraformType(b.Context())
	class := plainly{"name": "worker", "uid": "uid-1", alicloudClassKey: launchedPlain(plainly{"tags": plainly{"team": "platform"}})}
	inputs := plainly{"name": "worker-a", "class": class}
	stored := plainly{
		"id": "cn-hangzhou.i-1", "provider_id": "cn-hangzhou.i-1", "instance_type": "ecs.g6.large", "charge": "on_demand", "offering": "ecs.g6.large/vsw-b/on_demand",
		"phase": "Running", "claim": "claim-1", "private_ips": []string{"10.0.0.1"}, "lock_reasons": []string{}, "leftovers": []string{},
	}
	maps.Copy(stored, inputs)

	value := func(plain plainly) *tfprotov6.DynamicValue {
		raw, err := terraformValue(kind, plain)
		if err != nil {
			b.Fatal(err)
		}

		dynamic, err := tfprotov6.NewDynamicValue(kind, raw)
		if err != nil {
			b.Fatal(err)
		}

		return &dynamic
	}

	request := &tfprotov6.PlanResourceChangeRequest{
		TypeName: "machine_allocation", PriorState: value(stored), ProposedNewState: value(stored), Config: value(inputs),
	}

	b.ReportAllocs()

	for b.Loop() {
		response, err := server.PlanResourceChange(b.Context(), request)
		if err != nil || len(response.Diagnostics) > 0 {
			b.Fatal(err, response.Diagnostics)
		}
	}
}
