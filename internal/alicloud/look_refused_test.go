package alicloud_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// A look that the caller is refused says nothing of the operation, and still has the
// answer of ECS, which is where the user reads on what somebody has to act.
func TestALookThatIsRefusedKeepsWhatWasSaid(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	request := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "DescribeInstances", Code: "Account.Arrearage", HTTPStatus: 400})
	wantBlocked(t, b.until(t, request, begun.Operation), v1alpha3.ReasonRefused, "Account.Arrearage")
}
