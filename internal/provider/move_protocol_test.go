package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// OpenTofu reads the source of a move from the resource in state, whose provider is the
// target's as soon as one of its instances has been moved.
func TestAMoveIsTakenFromTheVendorsProviderByWhateverName(t *testing.T) {
	t.Parallel()

	p := newProtocol(t, acctest.Start(t, ecsemulator.Options{}))

	for source, taken := range map[[2]string]bool{
		{"example.test/aliyun/alicloud", "alicloud_instance"}:           true,
		{"example.test/mirror/alicloud", "alicloud_instance"}:           true,
		{"example.test/terraform-machine/machine", "alicloud_instance"}: true,
		{"example.test/terraform-machine/machine", "alicloud_vpc"}:      false,
		{"example.test/hashicorp/random", "alicloud_instance"}:          false,
		{"example.test/notalicloud", "alicloud_instance"}:               false,
	} {
		moved, err := p.server.MoveResourceState(t.Context(), &tfprotov6.MoveResourceStateRequest{
			SourceProviderAddress: source[0], SourceTypeName: source[1], TargetTypeName: allocationType,
			SourceState: &tfprotov6.RawState{JSON: []byte(`{"id":"i-bp1","availability_zone":"cn-hangzhou-h","instance_name":"pet"}`)},
		})
		if err != nil {
			t.Fatal(err)
		}

		if refused := len(moved.Diagnostics) > 0; refused == taken {
			t.Errorf("a move of %s from %s: %v, want it taken: %t", source[1], source[0], moved.Diagnostics, taken)
		}

		if taken {
			if id := p.text(p.attributes(p.objectType(p.schemas.ResourceSchemas[allocationType]), moved.TargetState), "id"); id != "cn-hangzhou.i-bp1" {
				t.Errorf("a move from %s makes the object %q", source[0], id)
			}
		}
	}
}
