package alicloud_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestReleaseEndsWhenAbsenceIsProven(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{PendingDuration: -1, BootDuration: -1})
	allocate := b.allocation(t, "worker-a")
	id, _ := b.launch(t, allocate)
	request := release(allocate, owned(id))

	var begun machineops.BeginResult

	wantCounts(t, b.counted(func() {
		var err error
		if begun, err = b.begin(t.Context(), t, request); err != nil {
			t.Fatal(err)
		}
	}), map[string]int{"DescribeInstances": 1, "TagResources": 1, "DeleteInstances": 1})

	looked, err := b.poll(t, request, begun.Operation)
	if err != nil || looked.State != machineops.ProviderOperationStateInProgress || looked.Reason != v1alpha3.ReasonReleasing {
		t.Fatalf("the look tells %+v, %v", looked, err)
	}

	b.step(t, time.Minute)

	denied := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})
	_, err = b.poll(t, request, begun.Operation)
	wantRetried(t, err, id.String())

	if err := b.RemoveRule(denied); err != nil {
		t.Fatal(err)
	}

	wantCounts(t, b.counted(func() {
		if looked, err = b.poll(t, request, begun.Operation); err != nil || looked.State != machineops.ProviderOperationStateSucceeded {
			t.Errorf("the look tells %+v, %v", looked, err)
		}
	}), map[string]int{"DescribeInstances": 2})
}

// Ten machines that are released at once cost hardly more calls than one: the look
// that compares their claims, their marks, their deletion, and the looks for their
// absence are each one call. Where this machine stalls in their midst, some come too
// late for the call of the others, so it is the best of some rounds that is exact.
func TestReleasesThatMeetShareEveryCall(t *testing.T) {
	t.Parallel()

	const rounds, machines = 5, 10

	b := newBench(t, ecsemulator.Options{PendingDuration: -1, BootDuration: -1})
	least := map[string]int{}

	count := func(step string, act func()) {
		for action, calls := range b.counted(act) {
			if known, there := least[step+" "+action]; !there || calls < known {
				least[step+" "+action] = calls
			}
		}
	}

	for round := range rounds {
		requests := make([]machineops.OperationRequest, machines)
		begun := make([]machineops.BeginResult, machines)

		for i := range requests {
			allocate := b.allocation(t, fmt.Sprintf("worker-%d-%d", round, i))
			id, _ := b.launch(t, allocate)
			requests[i] = release(allocate, owned(id))
		}

		count("begin", func() {
			together(machines, func(i int) {
				var err error
				if begun[i], err = b.begin(t.Context(), t, requests[i]); err != nil {
					t.Error(err)
				}
			})
		})

		b.step(t, time.Minute)

		count("poll", func() {
			together(machines, func(i int) {
				looked, err := b.poll(t, requests[i], begun[i].Operation)
				if err != nil || looked.State != machineops.ProviderOperationStateSucceeded {
					t.Errorf("the look tells %+v, %v", looked, err)
				}
			})
		})
	}

	wantCounts(t, least, map[string]int{"begin DescribeInstances": 1, "begin TagResources": 1, "begin DeleteInstances": 1, "poll DescribeInstances": 2})
}

// A machine that ECS does not let go costs the others nothing.
func TestOneOfManyReleasesThatIsRefusedIsRefusedAlone(t *testing.T) {
	t.Parallel()

	const machines = 10

	b := newBench(t, ecsemulator.Options{ReleaseDuration: -1})
	requests := make([]machineops.OperationRequest, machines)

	for i := range requests {
		if i == machines-1 {
			// All are up but the last.
			b.step(t, time.Minute)
		}

		allocate := b.allocation(t, fmt.Sprintf("worker-%d", i))
		id, _ := b.launch(t, allocate)
		requests[i] = release(allocate, owned(id))
	}

	together(machines, func(i int) {
		_, err := b.begin(t.Context(), t, requests[i])

		switch {
		case i == machines-1:
			wantRetried(t, err, "IncorrectInstanceStatus.Initializing")
		case err != nil:
			t.Error(err)
		}
	})

	if alive := b.alive(); len(alive) != 1 {
		t.Errorf("alive are %v", alive)
	}
}

func TestReleaseOfWhatIsGoneDeletesNothing(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	allocate := b.allocation(t, "worker-a")
	id, _ := b.launch(t, allocate)

	if err := b.RemoveInstance(id.ResourceID); err != nil {
		t.Fatal(err)
	}

	for name, want := range map[string]struct {
		owned []v1alpha3.ProviderOwnedResource
		calls map[string]int
	}{
		// The deletion is the dry run that proves the release.
		"removed by hand": {[]v1alpha3.ProviderOwnedResource{owned(id)}, map[string]int{"DescribeInstances": 2, "DeleteInstances": 1}},
		"owning nothing":  {nil, map[string]int{}},
	} {
		request := release(allocate, want.owned...)

		wantCounts(t, b.counted(func() {
			begun, err := b.begin(t.Context(), t, request)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}

			looked, err := b.poll(t, request, begun.Operation)
			if err != nil || looked.State != machineops.ProviderOperationStateSucceeded {
				t.Errorf("%s: the look tells %+v, %v", name, looked, err)
			}
		}), want.calls)
	}
}

func TestSeveralOwnedMachinesAreReleasedTogether(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{PendingDuration: -1, BootDuration: -1})
	allocate := b.allocation(t, "worker-a")
	first, _ := b.launch(t, allocate)
	twin := b.add(t, ecsemulator.NewInstance{})
	bystander := b.add(t, ecsemulator.NewInstance{})
	request := release(allocate, owned(first), owned(twin), owned(first))

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	if alive := b.alive(); !sameElements(alive, []string{bystander.ResourceID}) {
		t.Errorf("alive are %v", alive)
	}

	for _, want := range []machineops.ProviderOperationState{machineops.ProviderOperationStateInProgress, machineops.ProviderOperationStateSucceeded} {
		looked, err := b.poll(t, request, begun.Operation)
		if err != nil || looked.State != want {
			t.Errorf("the look tells %+v, %v", looked, err)
		}

		b.step(t, time.Minute)
	}
}

func TestReleaseRefusesWhatItDoesNotRelease(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	allocate := b.allocation(t, "worker-a")
	id, _ := b.launch(t, allocate)

	for _, resource := range []v1alpha3.ProviderOwnedResource{
		{Kind: v1alpha3.OwnedResourceDisk, ID: "d-bp1abc", Region: region},
		{Kind: v1alpha3.OwnedResourceInstance, ID: "bp1abc", Region: region},
		{Kind: v1alpha3.OwnedResourceInstance, ID: "i-bp1abc"},
	} {
		wantCounts(t, b.counted(func() {
			_, err := b.begin(t.Context(), t, release(allocate, owned(id), resource))
			wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, "owned resources", resource.ID)
		}), map[string]int{})
	}
}

func TestMachineUnderAnotherClaimIsLeftAlone(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	allocate := b.allocation(t, "worker-a")
	id, _ := b.launch(t, allocate)

	for claim, taken := range map[string]bool{"another": true, "": false} {
		set := &driver.TagMachineRequest{ProviderID: id.String(), Secret: b.secret(), Identity: &driver.MachineIdentity{Claim: claim}}
		if err := b.cloud.Tagger().TagMachine(t.Context(), set); err != nil {
			t.Fatal(err)
		}

		if !taken {
			continue
		}

		wantCounts(t, b.counted(func() {
			_, err := b.begin(t.Context(), t, release(allocate, owned(id)))
			wantPermanent(t, err, v1alpha3.ReasonTaken, id.String(), "left alone")
		}), map[string]int{"DescribeInstances": 1})
	}

	if len(b.alive()) != 1 {
		t.Error("it was deleted")
	}
}

func TestMachineWhoseClaimWasStrippedIsReleased(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	id := b.add(t, ecsemulator.NewInstance{})

	if _, err := b.begin(t.Context(), t, release(b.allocation(t, "worker-a"), owned(id))); err != nil {
		t.Fatal(err)
	}

	if alive := b.alive(); len(alive) != 0 {
		t.Errorf("alive are %v", alive)
	}
}

// A machine that cannot be seen cannot be compared with its claim, so it is not
// deleted, whatever the permission to delete.
func TestMachineThatCannotBeSeenIsNotReleased(t *testing.T) {
	t.Parallel()

	t.Run("permission to list lost", func(t *testing.T) {
		t.Parallel()

		b := newBench(t, settled())
		allocate := b.allocation(t, "worker-a")
		id, _ := b.launch(t, allocate)
		b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})

		_, err := b.begin(t.Context(), t, release(allocate, owned(id)))
		wantPermanent(t, err, v1alpha3.ReasonPermissionDenied, id.String(), "Forbidden.RAM")

		if len(b.alive()) != 1 {
			t.Error("it was deleted")
		}
	})

	t.Run("too young to be listed", func(t *testing.T) {
		t.Parallel()

		options := settled()
		options.NewVisibilityDelay = 20 * time.Second
		b := newBench(t, options)
		allocate := b.allocation(t, "worker-a")
		id, _ := b.launch(t, allocate)

		_, err := b.begin(t.Context(), t, release(allocate, owned(id)))
		wantRetried(t, err, id.String(), "look again")

		if len(b.alive()) != 1 {
			t.Error("it was deleted")
		}
	})

	t.Run("permission to delete lost", func(t *testing.T) {
		t.Parallel()

		options := settled()
		options.NewVisibilityDelay = 20 * time.Second
		b := newBench(t, options)
		allocate := b.allocation(t, "worker-a")
		id, _ := b.launch(t, allocate)
		b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DeleteInstances"})

		_, err := b.begin(t.Context(), t, release(allocate, owned(id)))
		wantPermanent(t, err, v1alpha3.ReasonPermissionDenied, id.String())
	})
}

func TestReleaseRightAfterLaunchIsTriedAgain(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	allocate := b.allocation(t, "worker-a")
	id, _ := b.launch(t, allocate)
	request := release(allocate, owned(id))

	_, err := b.begin(t.Context(), t, request)
	wantRetried(t, err, "IncorrectInstanceStatus.Initializing", id.String())

	b.step(t, time.Minute)

	if _, err := b.begin(t.Context(), t, request); err != nil {
		t.Error(err)
	}
}

func TestReleaseThatECSForbidsSaysWhatToDo(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	allocate := b.allocation(t, "worker-a")
	id, _ := b.launch(t, allocate)

	for code, text := range map[string]string{
		"InvalidOperation.DeletionProtection": "switch its deletion protection off",
		"ChargeTypeViolation":                 "pay-as-you-go",
	} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "DeleteInstances", Code: code, HTTPStatus: 403})

		_, err := b.begin(t.Context(), t, release(allocate, owned(id)))
		wantPermanent(t, err, v1alpha3.ReasonRefused, id.String(), text, code)

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}
}
