package ecsemulator_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestControlClientSeesAndDoesWhatTheServerDoes(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	ctx := t.Context()
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	added, err := control.AddInstance(ctx, ecsemulator.NewInstance{Name: "old", Tags: map[string]string{"a": "b"}, AgeSeconds: 3600})
	check(err)
	instances, err := control.Instances(ctx)
	check(err)
	if len(instances) != 1 || instances[0].ID != added.ID || instances[0].Status != "Running" || instances[0].Tags["a"] != "b" {
		t.Errorf("instances %+v", instances)
	}
	attached, err := control.AddDisk(ctx, ecsemulator.NewDisk{InstanceID: added.ID, Name: "data", Tags: map[string]string{"a": "b"}})
	check(err)
	disks, err := control.Disks(ctx)
	check(err)
	if len(disks) != 2 || !disks[0].System || disks[1].ID != attached.ID || attached.Device != "/dev/xvdb" || attached.Status != "In_use" || attached.SizeGiB != 40 ||
		attached.Category != disks[0].Category || attached.DeleteWithInstance || attached.Tags["a"] != "b" {
		t.Errorf("disks %+v", disks)
	}
	rule, err := control.AddRule(ctx, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "RunInstances", At: ecsemulator.MomentAfter})
	check(err)
	done := c.inBackground("RunInstances", launch())
	hold, err := control.WaitHold(ctx, rule.ID, 10*time.Second)
	check(err)
	holds, err := control.Holds(ctx)
	check(err)
	if len(holds) != 1 || holds[0] != hold {
		t.Errorf("holds %+v", holds)
	}
	check(control.Release(ctx, hold.ID, ecsemulator.Drop))
	if got := <-done; got.err == nil {
		t.Error("a dropped call was answered")
	}
	rules, err := control.RulesInForce(ctx)
	check(err)
	if len(rules) != 1 || rules[0].ID != rule.ID {
		t.Errorf("rules %+v", rules)
	}
	check(control.RemoveRule(ctx, rule.ID))
	counts, err := control.Counts(ctx)
	check(err)
	if counts["RunInstances"] != 1 {
		t.Errorf("counts %v", counts)
	}
	calls, err := control.Calls(ctx)
	check(err)
	if len(calls) != 1 || calls[0].Parameters["InstanceType"] != "ecs.g7.large" || calls[0].AccessKeyID != ecsemulator.DefaultAccessKeyID {
		t.Errorf("calls %+v", calls)
	}
	check(control.ResetCalls(ctx))
	if n := len(server.Counts()) + len(server.Calls()); n != 0 {
		t.Errorf("%d left after a reset", n)
	}
	check(control.RemoveInstance(ctx, added.ID))
	journal, err := control.Journal(ctx)
	check(err)
	got := []string{}
	for _, effect := range journal {
		got = append(got, effect.Effect)
	}
	if !slices.Equal(got, []string{"added", "added", "created", "gone"}) {
		t.Errorf("journal %v", got)
	}
	before, err := control.Clock(ctx)
	check(err)
	check(control.Step(ctx, time.Hour))
	if passed := server.Now().Sub(before.Now); passed < time.Hour {
		t.Errorf("the clock went %s", passed)
	}
	check(control.SetStock(ctx, ecsemulator.Stock{StatusCategory: "WithoutStock"}))
	c.refused("RunInstances", launch(), "OperationDenied.NoStock", 403)
	check(control.SetBehavior(ctx, ecsemulator.Behavior{TokenBurn: ecsemulator.BurnAlways}))
	behavior, err := control.CurrentBehavior(ctx)
	check(err)
	if behavior.TokenBurn != ecsemulator.BurnAlways || behavior.ReplayAfterRelease != ecsemulator.ReplaySameIDs {
		t.Errorf("behavior %+v", behavior)
	}
	environment, err := control.Environment(ctx)
	check(err)
	if !slices.Equal(environment, server.Environment()) {
		t.Errorf("environment %v", environment)
	}
}

func attachedToNone(ctx context.Context, control *ecsemulator.ControlClient) error {
	_, err := control.AddDisk(ctx, ecsemulator.NewDisk{InstanceID: "i-none"})
	return err
}

func TestControlRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	ctx := t.Context()
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	for name, err := range map[string]error{
		"rule":               control.RemoveRule(ctx, "none"),
		"hold":               control.Release(ctx, "none", ecsemulator.Proceed),
		"instance":           control.RemoveInstance(ctx, "i-none"),
		"instance of a disk": attachedToNone(ctx, control),
	} {
		if !errors.Is(err, ecsemulator.ErrNotFound) {
			t.Errorf("%s that is not there: %v", name, err)
		}
	}
	_, kind := control.AddRule(ctx, ecsemulator.Rule{Kind: "explode"})
	_, held := control.WaitHold(ctx, "none", time.Millisecond)
	_, vswitch := control.AddInstance(ctx, ecsemulator.NewInstance{VSwitchID: "vsw-none"})
	_, tag := control.AddInstance(ctx, ecsemulator.NewInstance{Tags: map[string]string{"acs:x": ""}})
	for name, err := range map[string]error{
		"kind": kind, "wait": held, "vswitch": vswitch, "tag": tag, "step back": control.Step(ctx, -time.Second),
		"stock": control.SetStock(ctx, ecsemulator.Stock{}), "behavior": control.SetBehavior(ctx, ecsemulator.Behavior{TokenBurn: "x"}),
	} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.ControlURL()+"/rules", strings.NewReader(`{"kind":"hold","colour":"red"}`))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("an unknown field: %s", response.Status)
	}
}

// lockedBuffer is a log that many write to.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestSecretsAreSeenNowhere(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	server := still(t, ecsemulator.Options{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	c := newClient(t, server)
	secret := "Marker-1-" + "in-user-data"
	password := "Marker-2-Passw0rd"
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	own := values{"UserData": encoded, "Password": password}
	id := c.run(own)
	c.ok("ModifyInstanceAttribute", values{"InstanceId": id, "UserData": encoded})
	c.ok("DescribeUserData", values{"InstanceId": id})
	c.refused("RunInstances", launch().with(own).with(values{"ImageId": "m-none"}), "InvalidImageId.NotFound", 404)
	c.refused("RunInstances", launch().with(own).with(values{"Secret": secret, "UserData.1": encoded}), "UnsupportedParameter", 400)
	wrong := *c
	wrong.secret = "wrong"
	wrong.refused("RunInstances", launch().with(own), "SignatureDoesNotMatch", 400)
	addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleError, Code: "InternalError", HTTPStatus: 500})
	c.refused("RunInstances", launch().with(own), "InternalError", 500)
	seen := log.String()
	for _, path := range []string{"/calls", "/instances", "/journal", "/rules", "/counts", "/holds"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.ControlURL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || len(body) == 0 {
			t.Fatalf("%s: %v", path, err)
		}
		seen += string(body)
	}
	if !strings.Contains(seen, "user_data_sha256") || !strings.Contains(seen, "action=RunInstances") {
		t.Error("this test looks in the wrong place")
	}
	for _, mark := range []string{secret, password, encoded, ecsemulator.DefaultAccessKeySecret} {
		if strings.Contains(seen, mark) {
			t.Errorf("%q is shown", mark)
		}
	}
}

func TestEnvironmentPointsAtTheServer(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{ClockFactor: 60, RegionID: "cn-beijing"})
	want := []string{
		"ALIBABA_CLOUD_ACCESS_KEY_ID=" + ecsemulator.DefaultAccessKeyID,
		"ALIBABA_CLOUD_ACCESS_KEY_SECRET=" + ecsemulator.DefaultAccessKeySecret,
		"ALIBABA_CLOUD_REGION=cn-beijing",
		"ALIBABA_CLOUD_ENDPOINT_ECS=" + server.Endpoint(),
		"ALIBABA_CLOUD_ENDPOINT_VPC=" + server.Endpoint(),
		"ALIBABA_CLOUD_ENDPOINT_STS=" + server.Endpoint(),
		"TF_MACHINE_PROTOCOL=http",
		"TF_MACHINE_CLOCK_FACTOR=60",
	}
	got := server.Environment()
	origin, clocked := strings.CutPrefix(got[len(got)-1], "TF_MACHINE_CLOCK_ORIGIN=")
	if _, err := time.Parse(time.RFC3339Nano, origin); !clocked || err != nil {
		t.Errorf("clock origin %q: %v", got[len(got)-1], err)
	}
	if got := got[:len(got)-1]; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(server.Endpoint(), "127.0.0.1:") || !strings.HasPrefix(server.ControlURL(), "http://127.0.0.1:") {
		t.Errorf("not on loopback: %s, %s", server.Endpoint(), server.ControlURL())
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{BootDuration: -1, StopDuration: -1, ReleaseDuration: -1})
	var clients sync.WaitGroup
	for n := range 16 {
		clients.Go(func() {
			c := newClient(t, server)
			for range 10 {
				answer, err := c.try("RunInstances", launch().with(values{"Tag.1.Key": "a", "ClientToken": "same-" + string(rune('a'+n))}))
				if err != nil || answer.status != 200 {
					t.Errorf("run: %v %s", err, answer.body)
					return
				}
				id := answer.text(t, "InstanceIdSets", "InstanceIdSet", 0)
				for _, step := range []struct {
					action string
					own    values
				}{
					{"DescribeInstances", values{"MaxResults": "100"}},
					{"TagResources", values{"ResourceType": "instance", "ResourceId.1": id, "Tag.1.Key": "b"}},
					{"DescribeVSwitches", nil},
				} {
					if answer, err := c.try(step.action, step.own); err != nil || answer.status != 200 {
						t.Errorf("%s: %v %s", step.action, err, answer.body)
					}
				}
				_, _, _, _ = server.Instances(), server.Journal(), server.Calls(), server.Counts()
			}
		})
	}
	clients.Wait()
	if n := len(server.Instances()); n != 16 {
		t.Errorf("%d instances of 16 tokens", n)
	}
	addresses := map[string]bool{}
	for _, i := range server.Instances() {
		addresses[i.PrivateAddress] = true
	}
	if len(addresses) != 16 {
		t.Errorf("%d addresses", len(addresses))
	}
}
