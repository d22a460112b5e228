package alicloud_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestCreateMachineLaunchesWhatTheClassSays(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.createRequest(t, "worker-a")

	var response *driver.CreateMachineResponse

	wantCounts(t, b.counted(func() { response = b.create(t, request) }), map[string]int{"RunInstances": 1})

	alive := b.alive()
	if len(alive) != 1 || response.ProviderID != region+"."+alive[0] {
		t.Fatalf("the response names %s, alive are %v", response.ProviderID, alive)
	}

	instance := b.instance(t, alive[0])
	if instance.Name != "worker-a" || instance.InstanceType != "ecs.g7.xlarge" || instance.VSwitchID != "vsw-a" || instance.ImageID != "m-acme2" {
		t.Errorf("launched was %+v", instance)
	}

	for key, value := range tagged("worker-a") {
		if instance.Tags[key] != value {
			t.Errorf("the tag %s is %q, want %q", key, instance.Tags[key], value)
		}
	}

	if _, claimed := instance.Tags[driver.ReservedTagPrefix+"owner"]; claimed {
		t.Error("a cluster's machine carries the owner tag of a Terraform state")
	}

	sum := sha256.Sum256(request.Secret.Data["userData"])
	if instance.UserDataSHA256 != hex.EncodeToString(sum[:]) {
		t.Error("the user data is not that of the secret")
	}

	if want := strings.ToLower(instance.HostName); response.NodeName != want {
		t.Errorf("the node name is %s, want %s", response.NodeName, want)
	}
}

func TestCreateMachineAgainReturnsTheSameMachine(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	first := b.create(t, b.createRequest(t, "worker-a"))
	second := b.create(t, b.createRequest(t, "worker-a"))

	if *first != *second || len(b.alive()) != 1 {
		t.Errorf("the first call returned %+v, the second %+v; alive are %v", first, second, b.alive())
	}

	other := b.createRequest(t, "worker-a")
	other.Machine.UID = "uid-of-its-successor"

	if third := b.create(t, other); third.ProviderID == first.ProviderID {
		t.Error("a machine of another UID is the same machine")
	}
}

func TestConcurrentCreatesOfOneMachineLaunchOne(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := b.driver.CreateMachine(t.Context(), b.createRequest(t, "worker-a")); err != nil {
				t.Error(err)
			}
		})
	}

	group.Wait()

	if alive := b.alive(); len(alive) != 1 {
		t.Errorf("alive are %v", alive)
	}
}

func TestCreateMachineSurvivesALostAnswer(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "RunInstances", At: ecsemulator.MomentAfter, Times: 1})

	response := b.create(t, b.createRequest(t, "worker-a"))
	if alive := b.alive(); len(alive) != 1 || !strings.HasSuffix(response.ProviderID, alive[0]) {
		t.Errorf("the response names %s, alive are %v", response.ProviderID, alive)
	}
}

func TestLastKnownStateOutlivesTheToken(t *testing.T) {
	t.Parallel()

	options := settled()
	options.Behavior.TokenLifetimeSeconds = 60
	b := newBench(t, options)

	request := b.createRequest(t, "worker-a")
	first := b.create(t, request)
	b.step(t, time.Hour)

	request.Machine.Status.LastKnownState = first.LastKnownState

	var second *driver.CreateMachineResponse

	wantCounts(t, b.counted(func() { second = b.create(t, request) }), map[string]int{"DescribeInstances": 1})

	if second.ProviderID != first.ProviderID || second.LastKnownState != first.LastKnownState || second.NodeName != first.NodeName {
		t.Errorf("the first call returned %+v, the second %+v", first, second)
	}
}

func TestKnownMachineIsLaunchedAgainOnlyWhenItIsProvenGone(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.createRequest(t, "worker-a")
	first := b.create(t, request)
	request.Machine.Status.LastKnownState = first.LastKnownState

	denied := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})

	counts := b.counted(func() {
		_, err := b.driver.CreateMachine(t.Context(), request)
		wantCode(t, err, driver.CodePermissionDenied, first.ProviderID)
	})
	if counts["RunInstances"] != 0 {
		t.Error("a denied look led to a launch")
	}

	if err := b.RemoveRule(denied); err != nil {
		t.Fatal(err)
	}

	if err := b.RemoveInstance(b.alive()[0]); err != nil {
		t.Fatal(err)
	}

	second := b.create(t, request)
	if second.ProviderID == first.ProviderID || len(b.alive()) != 1 {
		t.Errorf("the machine that is gone, %s, became %s; alive are %v", first.ProviderID, second.ProviderID, b.alive())
	}

	if third := b.create(t, request); third.ProviderID != second.ProviderID {
		t.Error("the same request again launched another machine")
	}
}

func TestMachineThatIsNotListedYetIsNotLaunchedAgain(t *testing.T) {
	t.Parallel()

	options := settled()
	options.NewVisibilityDelay = 20 * time.Second
	b := newBench(t, options)

	request := b.createRequest(t, "worker-a")
	request.Machine.Status.LastKnownState = b.create(t, request).LastKnownState

	_, err := b.driver.CreateMachine(t.Context(), request)
	wantCode(t, err, driver.CodeUnavailable)

	if alive := b.alive(); len(alive) != 1 {
		t.Errorf("alive are %v", alive)
	}
}

func TestSoldOutMachineIsTriedAnewUnderANewToken(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	soldOut := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleSoldOut, Action: "RunInstances"})
	request := b.createRequest(t, "worker-a")

	response, err := b.driver.CreateMachine(t.Context(), request)
	wantCode(t, err, driver.CodeResourceExhausted, "OperationDenied.NoStock", "worker-a")

	if response == nil || response.LastKnownState == "" || response.ProviderID != "" {
		t.Fatalf("the refusal came with %+v", response)
	}

	if err := b.RemoveRule(soldOut); err != nil {
		t.Fatal(err)
	}

	// The documented reading: the refused token stays refused when stock is back.
	_, err = b.driver.CreateMachine(t.Context(), request)
	wantCode(t, err, driver.CodeResourceExhausted)

	request.Machine.Status.LastKnownState = response.LastKnownState
	first, second := b.create(t, request), b.create(t, request)

	if first.ProviderID != second.ProviderID || len(b.alive()) != 1 {
		t.Errorf("launched were %s and %s; alive are %v", first.ProviderID, second.ProviderID, b.alive())
	}
}

func TestRefusalAfterALostAnswerKeepsTheToken(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "RunInstances", At: ecsemulator.MomentAfter, Times: 1})
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", First: 2, Code: "OperationDenied.NoStock", HTTPStatus: 403})

	response, err := b.driver.CreateMachine(t.Context(), b.createRequest(t, "worker-a"))
	wantCode(t, err, driver.CodeResourceExhausted)

	if response != nil {
		t.Errorf("the launch may have taken effect, and the next one is told to take another token: %+v", response)
	}
}

func TestChangedClassDoesNotLaunchASecondMachine(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.createRequest(t, "worker-a")
	b.create(t, request)

	request.MachineClass = machineClass(t, func(spec map[string]any) { spec["instanceType"] = "ecs.g7.2xlarge" })

	_, err := b.driver.CreateMachine(t.Context(), request)
	wantCode(t, err, driver.CodeAlreadyExists, "IdempotentParameterMismatch")

	if alive := b.alive(); len(alive) != 1 {
		t.Errorf("alive are %v", alive)
	}
}

func TestStateOfAnotherDriverSaysNothing(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.createRequest(t, "worker-a")
	request.Machine.Status.LastKnownState = "ECS instance i-bp1abc created for machine worker-a"
	b.create(t, request)

	for _, state := range []string{`Alicloud {"v":2}`, `Alicloud {"v":1,"attempt":-1}`, `Alicloud nonsense`} {
		request.Machine.Status.LastKnownState = state

		wantCounts(t, b.counted(func() {
			_, err := b.driver.CreateMachine(t.Context(), request)
			wantCode(t, err, driver.CodeInvalidArgument, "worker-a", "last known state")
		}), map[string]int{})
	}
}

func TestCreateMachineTellsRefusalsApart(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for _, refusal := range []struct {
		code   string
		status int
		want   driver.Code
	}{
		{"Forbidden.RAM", 403, driver.CodePermissionDenied},
		{"InvalidAccessKeyId.NotFound", 404, driver.CodeUnauthenticated},
		{"QuotaExceed.AfterpayInstance", 403, driver.CodeResourceExhausted},
		{"Zone.NotOnSale", 403, driver.CodeResourceExhausted},
		{"InvalidImageId.NotFound", 404, driver.CodeInvalidArgument},
		{"Account.Arrearage", 400, driver.CodePermissionDenied},
		{"IdempotentFailed", 400, driver.CodeAborted},
	} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: refusal.code, HTTPStatus: refusal.status})

		_, err := b.driver.CreateMachine(t.Context(), b.createRequest(t, "worker-a"))
		wantCode(t, err, refusal.want, refusal.code, "worker-a")

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}

	if alive := b.alive(); len(alive) != 0 {
		t.Errorf("alive are %v", alive)
	}
}

func TestCanceledCreateLaunchesNothing(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	wantCounts(t, b.counted(func() {
		_, err := b.driver.CreateMachine(ctx, b.createRequest(t, "worker-a"))
		wantCode(t, err, driver.CodeCanceled)
	}), map[string]int{})
}

func TestWrongLaunchIsRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	many := ownership()

	for letter := 'a'; len(many) < 19; letter++ {
		many["tag-"+string(letter)] = "x"
	}

	for name, wrong := range map[string]struct {
		edit  func(*driver.CreateMachineRequest)
		texts []string
	}{
		"no UID":            {func(r *driver.CreateMachineRequest) { r.Machine.UID = "" }, []string{"UID"}},
		"name with a digit": {func(r *driver.CreateMachineRequest) { r.Machine.Name = "1-worker" }, []string{"name", "letter"}},
		"name too short":    {func(r *driver.CreateMachineRequest) { r.Machine.Name = "w" }, []string{"name"}},
		"name too long":     {func(r *driver.CreateMachineRequest) { r.Machine.Name = strings.Repeat("w", 129) }, []string{"name", "128"}},
		"name of a series":  {func(r *driver.CreateMachineRequest) { r.Machine.Name = "worker[1,2]" }, []string{"name", "brackets"}},
		"name like an URL":  {func(r *driver.CreateMachineRequest) { r.Machine.Name = "https://worker" }, []string{"name"}},
		"too much user data": {func(r *driver.CreateMachineRequest) {
			r.Secret.Data["userData"] = []byte(strings.Repeat(secretMarker, 2000))
		}, []string{"user data", "32768"}},
		"reserved tag": {func(r *driver.CreateMachineRequest) {
			r.MachineClass = machineClass(t, func(s map[string]any) { s["tags"] = tagged("x") })
		}, []string{"tags", nameTag, "reserved"}},
		"too many tags": {func(r *driver.CreateMachineRequest) {
			r.MachineClass = machineClass(t, func(s map[string]any) { s["tags"] = many })
		}, []string{"tags", "21", "20"}},
		"machine of another region": {func(r *driver.CreateMachineRequest) { r.Machine.Spec.ProviderID = "cn-shanghai.i-uf6abc" }, []string{"cn-shanghai", region}},
		"malformed provider ID":     {func(r *driver.CreateMachineRequest) { r.Machine.Spec.ProviderID = "aws:///i-abc" }, []string{"aws:///i-abc"}},
	} {
		t.Run(name, func(t *testing.T) {
			request := b.createRequest(t, "worker-a")
			wrong.edit(request)

			wantCounts(t, b.counted(func() {
				_, err := b.driver.CreateMachine(t.Context(), request)
				wantCode(t, err, driver.CodeInvalidArgument, wrong.texts...)
			}), map[string]int{})
		})
	}

	if slices.ContainsFunc(b.Journal(), func(e ecsemulator.Effect) bool { return e.Effect == "created" }) {
		t.Error("something was launched")
	}
}
