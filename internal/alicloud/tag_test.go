package alicloud_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestTagMachineTouchesOnlyWhatItIsTold(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	id := b.add(t, ecsemulator.NewInstance{Tags: map[string]string{"keep": "1", "drop": "1", "change": "1", nameTag: "worker-a"}})

	wantCounts(t, b.counted(func() {
		err := b.cloud.Tagger().TagMachine(t.Context(), &driver.TagMachineRequest{
			ProviderID: id.String(), Secret: b.secret(), Set: map[string]string{"change": "2", "new": ""}, Remove: []string{"drop", "change"},
			Identity: &driver.MachineIdentity{Claim: "claim"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}), map[string]int{"TagResources": 1, "UntagResources": 1})

	want := map[string]string{"keep": "1", "change": "2", "new": "", nameTag: "worker-a", driver.ReservedTagPrefix + "claim": "claim"}
	if tags := b.instance(t, id.ResourceID).Tags; !maps.Equal(tags, want) {
		t.Errorf("the tags are %v, want %v", tags, want)
	}
}

func TestFullMachineCanHaveOneTagForAnother(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	tags := map[string]string{}

	for i := range 20 {
		tags[fmt.Sprintf("tag-%02d", i)] = "x"
	}

	id := b.add(t, ecsemulator.NewInstance{Tags: tags})

	err := b.cloud.Tagger().TagMachine(t.Context(), &driver.TagMachineRequest{
		ProviderID: id.String(), Secret: b.secret(), Set: map[string]string{"new": "x"}, Remove: []string{"tag-00"},
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWrongTagChangeIsRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	id := b.add(t, ecsemulator.NewInstance{})

	for text, request := range map[string]driver.TagMachineRequest{
		"owner":  {Set: map[string]string{driver.ReservedTagPrefix + "owner": "me"}},
		nameTag:  {Remove: []string{nameTag}},
		`""`:     {Remove: []string{""}},
		"acs:x":  {Set: map[string]string{"acs:x": ""}},
		"nobody": {ProviderID: "nobody"},
	} {
		if request.ProviderID == "" {
			request.ProviderID = id.String()
		}

		request.Secret = b.secret()

		wantCounts(t, b.counted(func() {
			wantCode(t, b.cloud.Tagger().TagMachine(t.Context(), &request), driver.CodeInvalidArgument, text)
		}), map[string]int{})
	}
}

func TestTagsOfAnAbsentMachineAreAnError(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	err := b.cloud.Tagger().TagMachine(t.Context(), &driver.TagMachineRequest{
		ProviderID: region + ".i-bp1gone", Secret: b.secret(), Set: map[string]string{"new": "x"},
	})

	if code := driver.CodeOf(err); code != driver.CodeNotFound {
		t.Errorf("the code is %s: %v", code, err)
	}
}
