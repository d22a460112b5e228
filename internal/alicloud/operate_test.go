package alicloud_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// old is a machine that has run for a day.
func old() ecsemulator.NewInstance {
	return ecsemulator.NewInstance{InstanceType: "ecs.g7.large", ImageID: "m-acme1", AgeSeconds: 86400}
}

func (b *bench) tag(t *testing.T, id driver.ProviderID) string {
	t.Helper()

	return b.instance(t, id.ResourceID).Tags[operationTag]
}

// another is the same cloud as another process has it.
func (b *bench) another(t *testing.T) *bench {
	t.Helper()

	other := *b
	other.cloud = b.process(t)

	return &other
}

func wantOrdinary(t *testing.T, err error, texts ...string) {
	t.Helper()

	var permanent *machineops.PermanentError
	if err == nil || errors.As(err, &permanent) {
		t.Fatalf("the error is no ordinary one: %v", err)
	}

	wantTexts(t, err, texts...)
}

func TestARebootGoesOutInALaterMinuteThanTheLastStart(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, ecsemulator.NewInstance{})
	b.complete(t, b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil))
	b.complete(t, b.hostOperation(v1alpha3.OperationHostPowerOn, id.String(), nil))

	ended := b.complete(t, b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil))
	if !strings.Contains(ended.Message, "Running again, by ECS started at") {
		t.Errorf("the end was told by another thing: %s", ended.Message)
	}

	var started, rebooted time.Time

	for _, call := range b.Calls() {
		switch call.Action {
		case "StartInstance":
			started = call.Time
		case "RebootInstance":
			rebooted = call.Time
		}
	}

	if !rebooted.Truncate(time.Minute).After(started.Truncate(time.Minute)) {
		t.Errorf("started at %s, and rebooted at %s", started, rebooted)
	}
}

func TestWhatShowsAReboot(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		behavior ecsemulator.Behavior
		text     string
	}{
		"the start time": {text: "by ECS started at"},
		"the console":    {behavior: ecsemulator.Behavior{RebootKeepsStartTime: true}, text: "its console was last written at"},
		"nothing but that it was accepted": {
			behavior: ecsemulator.Behavior{RebootKeepsStartTime: true, NoConsole: true}, text: "shows neither a new start time nor a console",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{Behavior: test.behavior})
			id := b.add(t, old())

			if ended := b.complete(t, b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)); !strings.Contains(ended.Message, test.text) {
				t.Errorf("it was told: %s", ended.Message)
			}

			if effects := b.effectsOn(); effects["rebooted"] != 1 {
				t.Errorf("effects: %v", effects)
			}
		})
	}
}

// Where nothing can tell whether an earlier run rebooted, nobody reboots once more.
func TestAnUnknownOutcomeIsToldAndNotRepeated(t *testing.T) {
	t.Parallel()

	for name, moment := range map[string]ecsemulator.Moment{"it did": ecsemulator.MomentAfter, "it did not": ecsemulator.MomentBefore} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{RebootKeepsStartTime: true, NoConsole: true}})
			id := b.add(t, old())
			request := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
			b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "RebootInstance", At: moment, Times: 1})

			_, err := b.begin(t.Context(), t, request)
			wantOrdinary(t, err, "no answer")

			b.step(t, time.Hour)

			_, err = b.another(t).begin(t.Context(), t, request)
			wantPermanent(t, err, v1alpha3.ReasonOutcomeUnknown, "it is not rebooted again")

			if count := b.Counts()["RebootInstance"]; count != 1 {
				t.Errorf("RebootInstance was called %d times", count)
			}

			if tag := b.tag(t, id); tag != "" {
				t.Errorf("the machine is kept from other operations: %s", tag)
			}
		})
	}
}

func TestAnotherRunsOperationIsWaitedFor(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	first := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
	second := b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil)
	second.OperationName = "night"
	other := b.another(t)

	handle := b.handle(t, first)

	_, err := other.begin(t.Context(), t, second)
	wantOrdinary(t, err, id.String()+` is under another operation, HostReboot "kernel"`)

	if awaited := (*machineops.AwaitedError)(nil); !errors.As(err, &awaited) || awaited.ProviderID != id.String() || !strings.HasPrefix(awaited.Operation, `HostReboot "kernel" of `) {
		t.Errorf("it is no wait for the other: %#v", err)
	}

	b.end(t, first, handle)
	other.complete(t, second)

	if effects := b.effectsOn(); effects["rebooted"] != 1 || effects["stopped"] != 1 {
		t.Errorf("effects: %v", effects)
	}
}

// Of two runs that find the machine free at one moment, the one whose intent stands has
// it, and the other waits.
func TestOfTwoRunsThatMeetOneHasTheMachine(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	first := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
	second := b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil)
	other := b.another(t)

	stepped, ok := b.clock.(*steppedClock)
	if !ok {
		t.Fatal("the clock is no stepped one")
	}

	met := false
	stepped.onWait = func(time.Duration) {
		if met {
			return
		}

		// The first has written its intent, and the second, which looked before that,
		// writes over it.
		met = true
		untag(t, b, id)
		other.handle(t, second)
	}

	_, err := b.begin(t.Context(), t, first)
	wantOrdinary(t, err, "is under another operation, HostPowerOff")

	if effects := b.effectsOn(); effects["rebooted"] != 0 || effects["stopped"] != 1 {
		t.Errorf("effects: %v", effects)
	}
}

// A run whose intent was long on its way may write over that of one that has taken the
// machine meanwhile. It stays away until that one has had the time to say so.
func TestAnIntentThatIsWrittenLateGivesWay(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{StopDuration: 5 * time.Minute})
	id := b.add(t, old())
	other := b.another(t)
	first := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
	second := b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil)

	stepped, ok := b.clock.(*steppedClock)
	if !ok {
		t.Fatal("the clock is no stepped one")
	}

	rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "TagResources", At: ecsemulator.MomentBefore, Times: 1})
	ended := make(chan error, 1)

	go func() {
		_, err := b.begin(t.Context(), t, first)
		ended <- err
	}()

	hold, err := b.WaitHold(t.Context(), rule)
	if err != nil {
		t.Fatal(err)
	}

	handle := other.handle(t, second)
	stepped.onWait = func(wait time.Duration) {
		// The look of the one that has the machine comes when its call has ended, which
		// may take half a minute.
		if wait < 30*time.Second {
			return
		}

		if look, err := other.poll(t, second, handle); err != nil || look.State != machineops.ProviderOperationStateInProgress {
			t.Errorf("the look is %+v, %v", look, err)
		}
	}

	if err := b.Release(hold.ID, ecsemulator.Proceed); err != nil {
		t.Fatal(err)
	}

	wantOrdinary(t, <-ended, "is under another operation, HostPowerOff")

	if effects := b.effectsOn(); effects["rebooted"] != 0 {
		t.Errorf("effects: %v", effects)
	}
}

// untag takes the operation tag off, as somebody else would.
func untag(t *testing.T, b *bench, id driver.ProviderID) {
	t.Helper()

	client, err := b.spi(t).NewECSClient(b.secret(), id.Region)
	if err != nil {
		t.Fatal(err)
	}

	if err := client.UntagInstances(t.Context(), id.Region, []string{id.ResourceID}, []string{operationTag}); err != nil {
		t.Fatal(err)
	}
}

func TestAnIntentThatIsTakenAwayIsWrittenAgain(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	request := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
	handle := b.handle(t, request)
	before := b.tag(t, id)
	untag(t, b, id)

	if look, err := b.poll(t, request, handle); err != nil || look.State != machineops.ProviderOperationStateInProgress {
		t.Fatalf("the look is %+v, %v", look, err)
	}

	// The name of the process and the time apart, it is what it was.
	if fields, was := strings.Split(b.tag(t, id), "/"), strings.Split(before, "/"); len(fields) != len(was) || fields[3] != was[3] || fields[6] != was[6] {
		t.Errorf("the tag was %s and is %s", before, b.tag(t, id))
	}

	b.end(t, request, handle)

	_, err := b.another(t).begin(t.Context(), t, request)
	if err != nil {
		t.Error(err)
	}

	if effects := b.effectsOn(); effects["rebooted"] != 1 {
		t.Errorf("effects: %v", effects)
	}
}

func TestACleanedUpOperationCanBeCarriedOutAgain(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	request := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)

	for round := range 2 {
		b.complete(t, request)
		// Asked for again before its record is known to be stored, it is done.
		b.complete(t, request)

		if got := b.effectsOn()["rebooted"]; got != round+1 {
			t.Fatalf("after %d rounds the machine was rebooted %d times", round+1, got)
		}

		if err := b.operation(t, request).Cleanup(t.Context(), request, machineops.OperationResult{}); err != nil {
			t.Fatal(err)
		}

		if tag := b.tag(t, id); tag != "" {
			t.Errorf("cleanup left %s", tag)
		}
	}
}

func TestCleanupLeavesWhatIsOthers(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	under := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
	handle := b.handle(t, under)
	before := b.tag(t, id)

	ended := b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil)
	if err := b.operation(t, ended).Cleanup(t.Context(), ended, machineops.OperationResult{}); err != nil {
		t.Fatal(err)
	}

	// So does the cleanup of an earlier carrying out of the same operation.
	earlier := under
	earlier.Parameters = map[string]string{v1alpha3.ParameterOperationID: "earlier0"}

	if err := b.operation(t, under).Cleanup(t.Context(), earlier, machineops.OperationResult{}); err != nil {
		t.Fatal(err)
	}

	if tag := b.tag(t, id); tag != before {
		t.Errorf("the tag was %s and is %s", before, tag)
	}

	under.Parameters = map[string]string{v1alpha3.ParameterOperationID: handle.OperationID}
	if err := b.operation(t, under).Cleanup(t.Context(), under, machineops.OperationResult{}); err != nil {
		t.Fatal(err)
	}

	if tag := b.tag(t, id); tag != "" {
		t.Errorf("the cleanup of what was given up left %s", tag)
	}

	gone := b.hostOperation(v1alpha3.OperationHostReboot, region+".i-absent", nil)
	if err := b.operation(t, gone).Cleanup(t.Context(), gone, machineops.OperationResult{}); err != nil {
		t.Errorf("a machine that is gone has a trace: %v", err)
	}
}

// holdingClock holds every wait until its context ends.
type holdingClock struct {
	clock.RealClock

	waiting chan struct{}
}

// NewTimer implements clock.Clock.
func (c *holdingClock) NewTimer(time.Duration) clock.Timer {
	close(c.waiting)

	return c.RealClock.NewTimer(time.Hour)
}

func TestNothingIsDoneAfterACancel(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	held := &holdingClock{waiting: make(chan struct{})}
	b.clock = held
	b.cloud = b.process(t)

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-held.waiting
		cancel()
	}()

	_, err := b.begin(ctx, t, b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the begin ended with %v", err)
	}

	if counts := b.Counts(); counts["RebootInstance"] != 0 || counts["TagResources"] != 1 {
		t.Errorf("calls: %v", counts)
	}

	if tag := b.tag(t, id); tag == "" {
		t.Error("what was about to be done is forgotten")
	}
}

func TestAMachineThatCannotBeOperatedIsLeftAlone(t *testing.T) {
	t.Parallel()

	many := map[string]string{}
	for n := range 20 {
		many["key-"+string(rune('a'+n))] = "value"
	}

	for name, test := range map[string]struct {
		machine ecsemulator.NewInstance
		locks   []string
		reason  string
		text    string
	}{
		"locked":             {machine: old(), locks: []string{"security"}, reason: v1alpha3.ReasonRefused, text: "is locked (security)"},
		"in arrears":         {machine: old(), locks: []string{"financial"}, reason: v1alpha3.ReasonRefused, text: "is locked (financial)"},
		"full of tags":       {machine: ecsemulator.NewInstance{AgeSeconds: 86400, Tags: many}, reason: v1alpha3.ReasonInvalidConfiguration, text: "an operation needs one"},
		"of another version": {machine: ecsemulator.NewInstance{AgeSeconds: 86400, Tags: map[string]string{operationTag: "v9"}}, reason: v1alpha3.ReasonBusy, text: "does not read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			id := b.add(t, test.machine)

			for _, reason := range test.locks {
				if _, err := b.AddIncident(id.ResourceID, ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: reason}); err != nil {
					t.Fatal(err)
				}
			}

			_, err := b.begin(t.Context(), t, b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil))
			wantPermanent(t, err, test.reason, test.text)

			if counts := b.Counts(); counts["TagResources"]+counts["RebootInstance"] != 0 {
				t.Errorf("calls: %v", counts)
			}
		})
	}
}

func TestAReplacedDiskKeepsWhatTheMachineIs(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, settled())
	allocate := b.allocation(t, "worker-a")
	id, _ := b.launch(t, allocate)
	before := b.instance(t, id.ResourceID)
	request := b.hostOperation(v1alpha3.OperationHostReplace, id.String(), map[string]string{
		alicloud.ParameterImageID: "m-acme1", v1alpha3.ParameterFingerprint: "of-the-new-inputs",
	})
	request.ReplaceUserData = "#cloud-config\n# new " + secretMarker + "\n"

	ended := b.complete(t, request)
	after := b.instance(t, id.ResourceID)

	switch {
	case after.ImageID != "m-acme1" || after.Status != "Running":
		t.Errorf("the machine is %s from %s", after.Status, after.ImageID)
	case after.PrivateAddress != before.PrivateAddress || after.Name != before.Name:
		t.Errorf("the machine was %+v and is %+v", before, after)
	case after.UserDataSHA256 == before.UserDataSHA256 || after.UserDataBytes != len(request.ReplaceUserData):
		t.Error("the machine has its old first-boot data")
	case after.DiskIDs[0] == before.DiskIDs[0]:
		t.Error("the machine has its old disk")
	case after.Tags[driver.ReservedTagPrefix+"fingerprint"] != "of-the-new-inputs":
		t.Errorf("the tags are %v", after.Tags)
	}

	for _, text := range []string{ended.Message, b.log.String(), after.Tags[operationTag]} {
		if strings.Contains(text, secretMarker) {
			t.Errorf("first-boot data stands in %q", text)
		}
	}

	for _, call := range b.Calls() {
		if call.Action == "StopInstance" && call.Parameters["StoppedMode"] != "KeepCharging" {
			t.Errorf("the machine could lose its capacity: %v", call.Parameters)
		}
	}
}

func TestAReplacementThatIsRefusedLeavesTheMachineRunning(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	before := b.instance(t, id.ResourceID)
	request := b.hostOperation(v1alpha3.OperationHostReplace, id.String(), map[string]string{alicloud.ParameterImageID: "m-acme2", alicloud.ParameterKeepUserData: "true"})
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "ReplaceSystemDisk", Code: "INST_HAS_UNPAID_ORDER", HTTPStatus: 403})

	_, err := b.begin(t.Context(), t, request)
	wantPermanent(t, err, v1alpha3.ReasonRefused, "keeps its disk, and is being started again")
	b.step(t, time.Minute)

	after := b.instance(t, id.ResourceID)
	if after.Status != "Running" || after.DiskIDs[0] != before.DiskIDs[0] || after.Tags[operationTag] != "" {
		t.Errorf("the machine is %+v", after)
	}
}

// No look gives up what ECS has accepted.
func TestALookThatIsRefusedEndsNoOperation(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{DeniedDescribe: ecsemulator.DenialForbidden}})
	id := b.add(t, old())
	request := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
	handle := b.handle(t, request)

	for _, action := range []string{"DescribeInstances", "TagResources"} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: action})
		b.step(t, time.Minute)

		_, err := b.poll(t, request, handle)
		wantOrdinary(t, err, action)

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}

	if ended := b.end(t, request, handle); ended.State != machineops.ProviderOperationStateSucceeded {
		t.Errorf("it ended as %+v", ended)
	}
}

func TestTwoOperationsOfOneKindAreTwo(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())

	for _, uid := range []types.UID{"one", "two", "one"} {
		request := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
		request.OperationUID = uid
		b.complete(t, request)
	}

	if effects := b.effectsOn(); effects["rebooted"] != 2 {
		t.Errorf("effects: %v", effects)
	}
}
