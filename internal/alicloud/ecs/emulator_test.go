package ecs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func start(t *testing.T, options ecsemulator.Options) *ecsemulator.Server {
	t.Helper()
	// Of the test, not of the deadline: the server ends with it.
	server, err := ecsemulator.Start(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func connect(t *testing.T, server *ecsemulator.Server, change ...func(*ecs.Config)) *ecs.Client {
	t.Helper()
	config := ecs.Config{
		Region:      ecsemulator.DefaultRegionID,
		Credentials: ecs.StaticCredentials(ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret, ""),
		Endpoints:   ecs.Endpoints{ECS: server.Endpoint(), VPC: server.Endpoint(), STS: server.Endpoint()},
		Protocol:    "http",
	}
	for _, apply := range change {
		apply(&config)
	}
	client, err := ecs.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func launch(name string) ecs.RunInstancesInput {
	return ecs.RunInstancesInput{
		Zone: "cn-hangzhou-h", InstanceType: "ecs.g7.xlarge", ImageFamily: "acme-node", VSwitchID: "vsw-a", SecurityGroupIDs: []string{"sg-1"},
		InstanceName: name, UserData: "#!/bin/sh\ntrue\n", SystemDisk: ecs.Disk{Category: "cloud_essd", SizeGiB: 40},
		Tags: map[string]string{"owner": "platform/prod", "name": name}, ClientToken: "token-" + name,
	}
}

func addRule(t *testing.T, server *ecsemulator.Server, rule ecsemulator.Rule) ecsemulator.Rule {
	t.Helper()
	added, err := server.AddRule(rule)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func step(t *testing.T, server *ecsemulator.Server, duration time.Duration) {
	t.Helper()
	if err := server.Step(duration); err != nil {
		t.Fatal(err)
	}
}

func TestTheWholeLifeOfAnInstance(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	client, ctx := connect(t, server), bounded(t)
	output, err := client.RunInstances(ctx, launch("worker-a"))
	if err != nil || len(output.InstanceIDs) != 1 || output.RequestID == "" {
		t.Fatalf("%+v %v", output, err)
	}
	id := output.InstanceIDs[0]
	status := func() ecs.InstanceStatus {
		t.Helper()
		found, err := client.InstancesByID(ctx, "", []string{id})
		if err != nil {
			t.Fatal(err)
		}
		return found[id].Status
	}
	if got := status(); got != ecs.InstanceStatusPending {
		t.Errorf("just launched: %s", got)
	}
	step(t, server, ecsemulator.DefaultBootDuration)
	found, err := client.InstancesByID(ctx, "", []string{id})
	if err != nil {
		t.Fatal(err)
	}
	got := found[id]
	if got.Status != ecs.InstanceStatusRunning || got.Name != "worker-a" || got.Zone != "cn-hangzhou-h" || got.Type != "ecs.g7.xlarge" ||
		got.ImageID != "m-acme2" || got.ChargeType != "PostPaid" || got.VSwitchID != "vsw-a" || got.VPCID != "vpc-1" ||
		!slices.Equal(got.SecurityGroupIDs, []string{"sg-1"}) || len(got.PrivateIPs) != 1 || got.Tags["owner"] != "platform/prod" ||
		got.CreatedAt.IsZero() || got.Region != "cn-hangzhou" {
		t.Errorf("running: %+v", got)
	}
	if err := client.StartInstances(ctx, "", []string{id}); ecs.ClassOf(err) != ecs.ClassConflict {
		t.Errorf("starting what runs: %v", err)
	}
	if err := client.StopInstances(ctx, "", []string{id}, ecs.StopOptions{StoppedMode: "StopCharging"}); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != ecs.InstanceStatusStopping {
		t.Errorf("after stop: %s", got)
	}
	step(t, server, ecsemulator.DefaultStopDuration)
	if got := status(); got != ecs.InstanceStatusStopped {
		t.Errorf("stopped: %s", got)
	}
	if err := client.StartInstances(ctx, "", []string{id}); err != nil {
		t.Fatal(err)
	}
	step(t, server, ecsemulator.DefaultBootDuration)
	if released, err := client.ProveReleased(ctx, "", id); err != nil || released {
		t.Errorf("while it runs: %v %v", released, err)
	}
	if err := client.DeleteInstances(ctx, "", []string{id}); err != nil {
		t.Fatal(err)
	}
	step(t, server, ecsemulator.DefaultReleaseDuration)
	if got := status(); got != "" {
		t.Errorf("released: %s", got)
	}
	if released, err := client.ProveReleased(ctx, "", id); err != nil || !released {
		t.Errorf("released: %v %v", released, err)
	}
	if err := client.DeleteInstances(ctx, "", []string{id}); err != nil {
		t.Errorf("deleting what is gone: %v", err)
	}
}

func TestTagsAreWrittenListedByAndTakenOff(t *testing.T) {
	t.Parallel()
	client, ctx := connect(t, start(t, ecsemulator.Options{})), bounded(t)
	output, err := client.RunInstances(ctx, launch("worker-a"))
	if err != nil {
		t.Fatal(err)
	}
	id := output.InstanceIDs[0]
	if err := client.TagInstances(ctx, "", []string{id}, map[string]string{"settled": "yes", "name": "b"}); err != nil {
		t.Fatal(err)
	}
	if err := client.UntagInstances(ctx, "", []string{id}, []string{"owner"}); err != nil {
		t.Fatal(err)
	}
	listed, err := client.InstancesByTags(ctx, "", map[string]string{"settled": "yes", "name": "b"})
	if err != nil || len(listed) != 1 || listed[0].ID != id || len(listed[0].Tags) != 2 {
		t.Errorf("by tags: %+v %v", listed, err)
	}
}

func TestWhatTheRegionOffers(t *testing.T) {
	t.Parallel()
	client, ctx := connect(t, start(t, ecsemulator.Options{})), bounded(t)
	types, err := client.InstanceTypes(ctx, "", []string{"ecs.g7.xlarge", "ecs.none.large"})
	if err != nil || len(types) != 1 || types[0].VCPUs != 4 || types[0].MemoryGiB != 16 || types[0].CPUArchitecture != "X86" {
		t.Errorf("types: %+v %v", types, err)
	}
	if all, err := client.InstanceTypes(ctx, "", nil); err != nil || len(all) < 40 {
		t.Errorf("all types: %d %v", len(all), err)
	}
	stock, err := client.AvailableTypes(ctx, ecs.StockQuery{InstanceType: "ecs.g7.xlarge", Zone: "cn-hangzhou-h", ChargeType: "PostPaid", SpotStrategy: "NoSpot"})
	if err != nil || len(stock) != 1 || stock[0].Status != "Available" || stock[0].StatusCategory != "WithStock" {
		t.Errorf("stock: %+v %v", stock, err)
	}
	images, err := client.Images(ctx, "", []string{"m-acme1", "m-none"})
	if err != nil || len(images) != 1 || images[0].Family != "acme-node" || images[0].Architecture != "x86_64" {
		t.Errorf("images: %+v %v", images, err)
	}
	if image, found, err := client.ImageFromFamily(ctx, "", "acme-node"); err != nil || !found || image.ID != "m-acme2" {
		t.Errorf("family: %+v %v %v", image, found, err)
	}
	if _, found, err := client.ImageFromFamily(ctx, "", "no-such-family"); err != nil || found {
		t.Errorf("no family: %v %v", found, err)
	}
	vswitches, err := client.VSwitches(ctx, "", []string{"vsw-a", "vsw-b", "vsw-none"})
	if err != nil || len(vswitches) != 2 || vswitches[0].Zone != "cn-hangzhou-h" || vswitches[0].AvailableIPCount == nil || *vswitches[0].AvailableIPCount == 0 || vswitches[1].VPCID != "vpc-1" {
		t.Errorf("vSwitches: %+v %v", vswitches, err)
	}
	groups, err := client.SecurityGroups(ctx, "", []string{"sg-1", "sg-other", "sg-none"})
	if err != nil || len(groups) != 2 {
		t.Errorf("groups: %+v %v", groups, err)
	}
	for name, want := range map[string]bool{"acme-key": true, "acme*": false, "none": false} {
		if found, err := client.HasKeyPair(ctx, "", name); err != nil || found != want {
			t.Errorf("key pair %s: %t %v", name, found, err)
		}
	}
	for id, want := range map[string]bool{"ds-1": true, "ds-none": false} {
		if found, err := client.HasDeploymentSet(ctx, "", id); err != nil || found != want {
			t.Errorf("deployment set %s: %t %v", id, found, err)
		}
	}
	snapshots, err := client.Snapshots(ctx, "", []string{"s-1", "s-none"})
	if err != nil || len(snapshots) != 1 || snapshots[0] != (ecs.Snapshot{ID: "s-1", Status: "accomplished"}) {
		t.Errorf("snapshots: %+v %v", snapshots, err)
	}
	zones, err := client.Zones(ctx, "")
	if err != nil || !slices.Contains(zones, "cn-hangzhou-h") {
		t.Errorf("zones: %v %v", zones, err)
	}
	if _, err := client.Zones(ctx, "xx-nowhere"); ecs.ClassOf(err) != ecs.ClassConfiguration || !strings.Contains(err.Error(), "InvalidRegionId.NotFound") {
		t.Errorf("no region: %v", err)
	}
	regions, err := client.Regions(ctx)
	if err != nil || !slices.Contains(regions, "cn-shanghai") {
		t.Errorf("regions: %v %v", regions, err)
	}
	identity, err := client.CallerIdentity(ctx)
	if err != nil || identity.AccountID != ecsemulator.DefaultAccountID || identity.ARN == "" {
		t.Errorf("identity: %+v %v", identity, err)
	}
}

func TestAWrongSecretShowsNothing(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	client := connect(t, server, func(config *ecs.Config) {
		config.Credentials = ecs.StaticCredentials(ecsemulator.DefaultAccessKeyID, "a-wrong-secret", "")
	})
	input := launch("worker-a")
	input.UserData = "marker-of-user-data"
	_, err := client.RunInstances(bounded(t), input)
	if ecs.ClassOf(err) != ecs.ClassCredentials {
		t.Fatal(err)
	}
	for _, secret := range []string{ecsemulator.DefaultAccessKeyID, "a-wrong-secret", "UserData", "bWFya2VyLW9m", "vsw-a"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q shows %q", err, secret)
		}
	}
	if instances := server.Instances(); len(instances) != 0 {
		t.Errorf("%d instances", len(instances))
	}
}

func TestALaunchWhoseAnswerIsLostMakesOneInstance(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]ecsemulator.Rule{
		"cut after the effect":  {Kind: ecsemulator.RuleCut, At: ecsemulator.MomentAfter},
		"cut before the effect": {Kind: ecsemulator.RuleCut, At: ecsemulator.MomentBefore},
		"balancer's page after": {Kind: ecsemulator.RuleHTML, At: ecsemulator.MomentAfter},
		"error after":           {Kind: ecsemulator.RuleError, At: ecsemulator.MomentAfter, Code: "InternalError", HTTPStatus: 500},
		"half an answer":        {Kind: ecsemulator.RuleMalformed, At: ecsemulator.MomentAfter},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, ecsemulator.Options{})
			rule.Action, rule.Times = "RunInstances", 2
			addRule(t, server, rule)
			client := connect(t, server, func(config *ecs.Config) { config.Random = func() float64 { return 0 } })
			output, err := client.RunInstances(bounded(t), launch("worker-a"))
			if err != nil {
				t.Fatal(err)
			}
			instances := server.Instances()
			if len(instances) != 1 || !slices.Equal(output.InstanceIDs, []string{instances[0].ID}) || output.LostAnswers != 2 {
				t.Errorf("%+v; instances %+v", output, instances)
			}
		})
	}
}

func TestATokenUsedForOtherParametersIsAMismatch(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	client, ctx := connect(t, server), bounded(t)
	if _, err := client.RunInstances(ctx, launch("worker-a")); err != nil {
		t.Fatal(err)
	}
	other := launch("worker-a")
	other.InstanceType = "ecs.g6.xlarge"
	if _, err := client.RunInstances(ctx, other); ecs.ClassOf(err) != ecs.ClassTokenMismatch {
		t.Errorf("%v", err)
	}
	if again, err := client.RunInstances(ctx, launch("worker-a")); err != nil || len(server.Instances()) != 1 || again.InstanceIDs[0] != server.Instances()[0].ID {
		t.Errorf("the same again: %+v %v", again, err)
	}
}

func TestWhatIsSoldOutSaysWhereElseToTry(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleSoldOut, Action: "RunInstances"})
	_, err := connect(t, server).RunInstances(bounded(t), launch("worker-a"))
	var failure *ecs.Error
	if !errors.As(err, &failure) || failure.Class != ecs.ClassCapacity || !failure.Scopes.Has(ecs.ScopeZone|ecs.ScopeType) || failure.RequestID == "" {
		t.Errorf("%+v", err)
	}
	if calls := server.Counts()["RunInstances"]; calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

func TestADeniedAnEmptyAndAWrongRegionAnswerAreToldApart(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	client, ctx := connect(t, server), bounded(t)
	output, err := client.RunInstances(ctx, launch("worker-a"))
	if err != nil {
		t.Fatal(err)
	}
	ids := output.InstanceIDs
	if err := client.ProveListPermission(ctx, ""); err != nil {
		t.Errorf("permitted: %v", err)
	}
	if found, err := client.InstancesByID(ctx, "cn-shanghai", ids); err != nil || len(found) != 0 {
		t.Errorf("wrong region: %v %v", found, err)
	}
	rule := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})
	if found, err := client.InstancesByID(ctx, "", ids); err != nil || len(found) != 0 {
		t.Errorf("denied: %v %v", found, err)
	}
	if err := client.ProveListPermission(ctx, ""); ecs.ClassOf(err) != ecs.ClassPermission {
		t.Errorf("denied: %v", err)
	}
	if released, err := client.ProveReleased(ctx, "", ids[0]); err != nil || released {
		t.Errorf("unlisted is not released: %v %v", released, err)
	}
	if err := server.RemoveRule(rule.ID); err != nil {
		t.Fatal(err)
	}
	if found, err := client.InstancesByID(ctx, "", ids); err != nil || len(found) != 1 {
		t.Errorf("permitted again: %v %v", found, err)
	}
	if instances := server.Instances(); len(instances) != 1 {
		t.Errorf("a dry run had an effect: %d instances", len(instances))
	}
}

func TestFiveHundredInstancesCostFiveCallsByIDAndByTag(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	ids := make([]string, 0, 500)
	for number := range 500 {
		added, err := server.AddInstance(ecsemulator.NewInstance{Name: fmt.Sprintf("m-%03d", number), Tags: map[string]string{"owner": "many"}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, added.ID)
	}
	client, ctx := connect(t, server), bounded(t)
	if found, err := client.InstancesByID(ctx, "", ids); err != nil || len(found) != 500 {
		t.Errorf("%d found: %v", len(found), err)
	}
	if calls := server.Counts()["DescribeInstances"]; calls != 5 {
		t.Errorf("%d calls by ID", calls)
	}
	server.ResetCalls()
	if listed, err := client.InstancesByTags(ctx, "", map[string]string{"owner": "many"}); err != nil || len(listed) != 500 {
		t.Errorf("%d listed: %v", len(listed), err)
	}
	if calls := server.Counts()["DescribeInstances"]; calls != 5 {
		t.Errorf("%d calls by tag", calls)
	}
}

// 1,000 matches are the most that a tag filter is correct for, and just what a
// list of more may be cut to. One call more tells the two apart.
func TestAListThatMayHaveBeenCutIsBelievedOnlyWhereItWasNot(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		machines int
		age      func(number int) float64
		calls    int
		tooMany  bool
	}{
		"one fewer":            {999, func(int) float64 { return 0 }, 10, false},
		"just as many":         {1000, func(number int) float64 { return float64(number) * 30 }, 11, false},
		"one more":             {1001, func(number int) float64 { return float64(number) * 30 }, 11, true},
		"all of the same age":  {1000, func(int) float64 { return 90 }, 10, true},
		"more of the same age": {1010, func(number int) float64 { return float64(number/100) * 60 }, 11, true},
		"half of the same age": {1000, func(number int) float64 { return float64(number/500) * 60 }, 11, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, ecsemulator.Options{})
			// The newest comes last, as in an account.
			for number := test.machines - 1; number >= 0; number-- {
				if _, err := server.AddInstance(ecsemulator.NewInstance{
					Name: fmt.Sprintf("m-%04d", number), AgeSeconds: test.age(number), Tags: map[string]string{"owner": "many"},
					VSwitchID: []string{"vsw-a", "vsw-b", "vsw-c"}[number%3],
				}); err != nil {
					t.Fatal(err)
				}
			}
			listed, err := connect(t, server).InstancesByTags(bounded(t), "", map[string]string{"owner": "many"})
			if errors.Is(err, ecs.ErrTooManyMatches) != test.tooMany || !test.tooMany && (err != nil || len(listed) != test.machines) {
				t.Errorf("%d listed: %v", len(listed), err)
			}
			if calls := server.Counts()["DescribeInstances"]; calls != test.calls {
				t.Errorf("%d calls, want %d", calls, test.calls)
			}
		})
	}
}

func TestALaunchThatIsCheckedLaunchesNothing(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	client, ctx := connect(t, server), bounded(t)
	input := launch("checked")
	input.ClientToken = ""
	for range 2 {
		if err := client.CheckLaunch(ctx, input); err != nil {
			t.Error(err)
		}
	}
	input.RAMRoleName = "nobody"
	if err := client.CheckLaunch(ctx, input); ecs.ClassOf(err) != ecs.ClassConfiguration || !strings.Contains(err.Error(), "InvalidRamRole.NotFound") {
		t.Errorf("a role that is not there: %v", err)
	}
	if got := server.Instances(); len(got) != 0 {
		t.Errorf("launched were %+v", got)
	}
	for _, call := range server.Calls() {
		if call.Parameters["DryRun"] != "true" || call.Parameters["ClientToken"] != "" {
			t.Errorf("a check was sent as %v", call.Parameters)
		}
	}
}
