package alicloud_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// reinstall is a replacement that keeps the first-boot data.
func (b *bench) reinstall(id driver.ProviderID, parameters map[string]string) machineops.OperationRequest {
	with := map[string]string{alicloud.ParameterKeepUserData: "true"}
	maps.Copy(with, parameters)

	return b.hostOperation(v1alpha3.OperationHostReplace, id.String(), with)
}

func TestANewDiskIsMadeFromTheNewestImageOfAFamily(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	ended := b.complete(t, b.reinstall(id, map[string]string{alicloud.ParameterImageFamily: "acme-node"}))

	if !strings.Contains(ended.Message, "made from m-acme2, of the family acme-node") {
		t.Errorf("it is not told which image that was: %s", ended.Message)
	}

	if after := b.instance(t, id.ResourceID); after.ImageID != "m-acme2" || after.Status != "Running" {
		t.Errorf("the machine is %s from %s", after.Status, after.ImageID)
	}
}

// A run that is cut off, and after which the family has another newest image, has given
// the machine one disk: the one that goes on does not give it another.
func TestAFamilyThatMovesOnGivesNoSecondDisk(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		moment ecsemulator.Moment
		image  string
	}{
		"after the disk":  {moment: ecsemulator.MomentAfter, image: "m-acme2"},
		"before the disk": {moment: ecsemulator.MomentBefore, image: "m-acme1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			id := b.add(t, old())
			request := b.reinstall(id, map[string]string{alicloud.ParameterImageFamily: "acme-node"})
			b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "ReplaceSystemDisk", At: test.moment, Times: 1})

			_, err := b.begin(t.Context(), t, request)
			wantOrdinary(t, err, "ReplaceSystemDisk")

			// The newest image is taken back, and the one before it is the newest again.
			if err := b.SetImageStatus("m-acme2", "Deprecated"); err != nil {
				t.Fatal(err)
			}

			ended := b.another(t).complete(t, request)

			if effects := b.effectsOn(); effects["reinstalled"] != 1 {
				t.Errorf("effects: %v", effects)
			}

			if after := b.instance(t, id.ResourceID); after.Status != "Running" || after.ImageID != test.image {
				t.Errorf("the machine is %s from %s", after.Status, after.ImageID)
			}

			if want := "made from " + test.image + ", of the family acme-node"; !strings.Contains(ended.Message, want) {
				t.Errorf("it was told: %s", ended.Message)
			}
		})
	}
}

// A machine that cannot be started at once from its new disk, as a spot machine may be
// for a while, is asked for again, and nothing else is done twice (F071).
func TestANewDiskOutlastsAStartThatIsRefused(t *testing.T) {
	t.Parallel()

	for name, rule := range map[string]ecsemulator.Rule{
		"no stock":         {Kind: ecsemulator.RuleError, Action: "StartInstance", Times: 3, Code: "OperationDenied.NoStock", HTTPStatus: 403},
		"a passing status": {Kind: ecsemulator.RuleError, Action: "StartInstance", Times: 3, Code: "IncorrectInstanceStatus", HTTPStatus: 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			id := b.add(t, old())
			request := b.reinstall(id, map[string]string{alicloud.ParameterImageID: "m-acme2"})
			handle := b.handle(t, request)
			b.rule(t, rule)

			for look := (machineops.PollResult{}); look.State != machineops.ProviderOperationStateSucceeded; {
				var err error
				if look, err = b.poll(t, request, handle); err != nil {
					wantOrdinary(t, err, id.String()+" has its new system disk, and could not be started yet")
				}

				b.step(t, 2*time.Second)
			}

			if effects := b.effectsOn(); effects["stopped"] != 1 || effects["reinstalled"] != 1 || effects["started"] != 1 {
				t.Errorf("effects: %v", effects)
			}
		})
	}
}
