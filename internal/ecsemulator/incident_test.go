package ecsemulator_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// effects are the journal's effects upon one instance.
func effects(server *ecsemulator.Server, id string) []string {
	found := []string{}
	for _, effect := range server.Journal() {
		if effect.InstanceID == id {
			found = append(found, effect.Effect)
		}
	}
	return found
}

func befall(t *testing.T, server *ecsemulator.Server, id string, incident ecsemulator.Incident) {
	t.Helper()
	if _, err := server.AddIncident(id, incident); err != nil {
		t.Fatal(err)
	}
}

// locksOf are the reasons that DescribeInstances tells, "absent" if it does not list the instance.
func (c *client) locksOf(id string) []string {
	c.t.Helper()
	answer := c.ok("DescribeInstances", values{"InstanceIds": `["` + id + `"]`})
	if len(answer.list(c.t, "Instances", "Instance")) == 0 {
		return []string{"absent"}
	}
	reasons := []string{}
	for n := range answer.list(c.t, "Instances", "Instance", 0, "OperationLocks", "LockReason") {
		reasons = append(reasons, answer.text(c.t, "Instances", "Instance", 0, "OperationLocks", "LockReason", n, "LockReason"))
	}
	return reasons
}

// Source: ecs-api 3.2 (the page about locked instances); the codes are those of the actions' pages, 2.4 to 2.9. What Recycling refuses
// is a guess.
func TestLocksRefuse(t *testing.T) {
	t.Parallel()
	const (
		security = "InstanceLockedForSecurity"
		expired  = "InstanceExpired"
		arrears  = "InstanceExpiredOrInArrears"
	)
	financial := map[string]string{
		"StartInstance": expired, "StopInstance": arrears, "RebootInstance": arrears, "ModifyInstanceAttribute": "", "DeleteInstance": "",
		"DeleteInstances": "", "ReplaceSystemDisk": arrears,
	}
	for reason, row := range map[string]map[string]string{
		"security": {
			"StartInstance": security, "StopInstance": security, "RebootInstance": security, "ModifyInstanceAttribute": security,
			"DeleteInstance": "", "DeleteInstances": "", "ReplaceSystemDisk": security, "ModifyInstanceSpec": security,
		},
		"financial":              financial,
		"dedicatedhostfinancial": financial,
		"refunded":               financial,
		"Recycling": {
			"StartInstance": "IncorrectInstanceStatus", "StopInstance": "", "RebootInstance": "IncorrectInstanceStatus",
			"ModifyInstanceAttribute": "", "DeleteInstance": "", "DeleteInstances": "", "ReplaceSystemDisk": "IncorrectInstanceStatus",
		},
	} {
		for action, code := range row {
			t.Run(reason+" "+action, func(t *testing.T) {
				t.Parallel()
				server := still(t, ecsemulator.Options{})
				c := newClient(t, server)
				status, own := "Running", values{}
				switch action {
				case "StartInstance", "ReplaceSystemDisk":
					status = "Stopped"
				case "ModifyInstanceSpec":
					status, own = "Stopped", values{"InstanceType": "ecs.g7.xlarge"}
				case "ModifyInstanceAttribute":
					own = values{"InstanceName": "renamed"}
				case "DeleteInstance", "DeleteInstances":
					own = values{"Force": "true"}
				}
				id := put(t, server, c, status)
				own["InstanceId"] = id
				if action == "DeleteInstances" {
					own = values{"InstanceId.1": id, "Force": "true"}
				}
				befall(t, server, id, ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: reason})
				if got := c.locksOf(id); !slices.Equal(got, []string{reason}) {
					t.Errorf("locks %v", got)
				}
				if code == "" {
					c.ok(action, own)
					return
				}
				c.refused(action, own, code, 403)
				befall(t, server, id, ecsemulator.Incident{Kind: ecsemulator.IncidentUnlock, Reason: reason})
				c.ok(action, own)
			})
		}
	}
}

func TestABatchTellsOfTheLockOfEach(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	locked, free := put(t, server, c, "Running"), put(t, server, c, "Running")
	shown, err := control.AddIncident(t.Context(), locked, ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: "security"})
	if err != nil || !slices.Equal(shown.Locks, []string{"security"}) {
		t.Fatalf("%v %+v", err, shown)
	}
	own := values{"InstanceId.1": locked, "InstanceId.2": free}
	c.refused("StopInstances", own, "InstanceLockedForSecurity", 403)
	answer := c.ok("StopInstances", own.with(values{"BatchOptimization": "SuccessFirst"}))
	for n, want := range []string{"InstanceLockedForSecurity", "200"} {
		if got := answer.text(t, "InstanceResponses", "InstanceResponse", n, "Code"); got != want {
			t.Errorf("instance %d: %s, want %s", n+1, got, want)
		}
	}
}

func TestLockFilterAndTheSwitchOfDelete(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{LockedRefusesDelete: true}})
	c := newClient(t, server)
	locked, free := put(t, server, c, "Running"), put(t, server, c, "Running")
	befall(t, server, locked, ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: "security"})
	for filter, want := range map[string]int{"security": 1, "financial": 0} {
		if got := len(c.ok("DescribeInstances", values{"LockReason": filter}).list(t, "Instances", "Instance")); got != want {
			t.Errorf("%s lists %d, want %d", filter, got, want)
		}
	}
	c.refused("DeleteInstance", values{"InstanceId": locked, "Force": "true"}, "InstanceLockedForSecurity", 403)
	c.ok("DeleteInstance", values{"InstanceId": free, "Force": "true"})
}

// Source: ecs-api 3.4: a security-locked instance takes its disks along.
func TestASecurityLockTakesTheDisksAlong(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]int{"security": 0, "financial": 1} {
		server := still(t, ecsemulator.Options{})
		c := newClient(t, server)
		id := c.run(values{"DataDisk.1.Size": "40", "DataDisk.1.DeleteWithInstance": "false"})
		step(t, server, time.Minute)
		befall(t, server, id, ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: reason})
		c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
		step(t, server, time.Minute)
		if got := len(c.ok("DescribeDisks", nil).list(t, "Disks", "Disk")); got != want {
			t.Errorf("%s: %d disks left, want %d", reason, got, want)
		}
	}
}

// Source: ecs-api 3.1 and 3.2: about five minutes' notice, by the lock Recycling.
func TestSpotReclaim(t *testing.T) {
	t.Parallel()
	for behavior, row := range map[string]struct {
		status string
		last   []string
	}{
		"Terminate": {"", []string{"created", "reclaim notice", "reclaimed", "gone"}},
		"Stop":      {"Stopped", []string{"created", "reclaim notice", "reclaimed"}},
	} {
		t.Run(behavior, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{})
			c := newClient(t, server)
			id := c.run(values{"SpotStrategy": "SpotAsPriceGo", "SpotInterruptionBehavior": behavior})
			step(t, server, time.Minute)
			befall(t, server, id, ecsemulator.Incident{Kind: ecsemulator.IncidentReclaim, Seconds: 30})
			if got := c.locksOf(id); len(got) != 0 {
				t.Errorf("locked at once: %v", got)
			}
			step(t, server, 30*time.Second)
			if got := c.locksOf(id); !slices.Equal(got, []string{"Recycling"}) {
				t.Errorf("locks in the notice: %v", got)
			}
			step(t, server, 5*time.Minute-time.Second)
			if got := c.status(id); got != "Running" {
				t.Errorf("%q before the notice is over", got)
			}
			step(t, server, time.Second+ecsemulator.DefaultStopDuration)
			if got := c.status(id); got != row.status {
				t.Errorf("%q afterwards, want %q", got, row.status)
			}
			if got := effects(server, id); !slices.Equal(got, row.last) {
				t.Errorf("journal %v", got)
			}
			if behavior == "Stop" {
				if got := c.locksOf(id); len(got) != 0 {
					t.Errorf("still locked: %v", got)
				}
				c.ok("StartInstance", values{"InstanceId": id})
			}
		})
	}
}

func TestSomebodyElseStopsAndReleases(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := put(t, server, c, "Running")
	befall(t, server, id, ecsemulator.Incident{Kind: ecsemulator.IncidentStop})
	if got := c.status(id); got != "Stopping" {
		t.Errorf("%q after a stop", got)
	}
	step(t, server, ecsemulator.DefaultStopDuration)
	befall(t, server, id, ecsemulator.Incident{Kind: ecsemulator.IncidentRelease})
	step(t, server, ecsemulator.DefaultReleaseDuration)
	if got := c.status(id); got != "" {
		t.Errorf("still %s", got)
	}
	if got := effects(server, id); !slices.Equal(got, []string{"created", "stopped", "releasing", "gone"}) {
		t.Errorf("journal %v", got)
	}
	for _, effect := range server.Journal()[1:3] {
		if effect.Caller != "somebody else" || effect.Action != "" {
			t.Errorf("effect %+v", effect)
		}
	}
	if _, err := server.AddIncident(id, ecsemulator.Incident{Kind: ecsemulator.IncidentStop}); !errors.Is(err, ecsemulator.ErrNotFound) {
		t.Errorf("upon what is gone: %v", err)
	}
}

func TestIncidentsThatCannotBe(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(nil)
	for name, incident := range map[string]ecsemulator.Incident{
		"no kind":             {},
		"inner kind":          {Kind: "reclaimed"},
		"no reason":           {Kind: ecsemulator.IncidentLock},
		"unknown reason":      {Kind: ecsemulator.IncidentLock, Reason: "whim"},
		"reason of a stop":    {Kind: ecsemulator.IncidentStop, Reason: "security"},
		"in the past":         {Kind: ecsemulator.IncidentStop, Seconds: -1},
		"reclaim of PostPaid": {Kind: ecsemulator.IncidentReclaim},
	} {
		if _, err := server.AddIncident(id, incident); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestRulesLetIncidentsBefall(t *testing.T) {
	t.Parallel()
	spot := values{"SpotStrategy": "SpotAsPriceGo"}
	for name, row := range map[string]struct {
		rule ecsemulator.Rule
		own  values
		act  func(*client, string)
		wait time.Duration
		want []string
	}{
		"reclaim what is launched": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleReclaim, Action: "RunInstances", Seconds: 60}, own: spot, wait: 6 * time.Minute,
			want: []string{"created", "reclaim notice", "reclaimed", "gone"},
		},
		"no reclaim of PostPaid": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleReclaim, Action: "RunInstances"}, wait: 6 * time.Minute, want: []string{"created"},
		},
		"lock what is launched": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleLock, Action: "RunInstances", Reason: "financial", Seconds: 60}, wait: time.Minute,
			want: []string{"created", "locked"},
		},
		"stop what is read": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleStop, Action: "DescribeInstances", First: 2, Times: 1},
			act:  func(c *client, id string) { c.status(id); c.status(id); c.status(id) }, want: []string{"created", "stopped"},
		},
		"release what was tagged": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleRelease, Action: "TagResources", At: ecsemulator.MomentAfter},
			act: func(c *client, id string) {
				c.ok("TagResources", values{"ResourceType": "instance", "ResourceId.1": id, "Tag.1.Key": "a"})
			},
			wait: time.Minute, want: []string{"created", "tagged", "releasing", "gone"},
		},
		"release what is about to be tagged": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleRelease, Action: "TagResources"},
			act: func(c *client, id string) {
				c.ok("TagResources", values{"ResourceType": "instance", "ResourceId.1": id, "Tag.1.Key": "a"})
			},
			wait: time.Minute, want: []string{"created", "releasing", "tagged", "gone"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{row.rule}})
			c := newClient(t, server)
			id := c.run(row.own)
			step(t, server, 30*time.Second)
			if row.act != nil {
				row.act(c, id)
			}
			step(t, server, row.wait)
			if got := effects(server, id); !slices.Equal(got, row.want) {
				t.Errorf("journal %v, want %v", got, row.want)
			}
		})
	}
}

func TestConcealAndLinger(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{
		{Kind: ecsemulator.RuleConceal, Seconds: 20, Times: 1, Action: "RunInstances"},
		{Kind: ecsemulator.RuleLinger, Seconds: 20, Times: 1, Action: "DeleteInstance"},
	}})
	c := newClient(t, server)
	hidden, seen := c.run(nil), c.run(nil)
	if c.status(hidden) != "" || c.status(seen) == "" {
		t.Error("the first is listed, or the second is not")
	}
	step(t, server, 20*time.Second)
	if c.status(hidden) == "" {
		t.Error("still left out")
	}
	c.ok("DeleteInstance", values{"InstanceId": hidden, "Force": "true"})
	step(t, server, ecsemulator.DefaultReleaseDuration+19*time.Second)
	if c.status(hidden) == "" {
		t.Error("not listed any more")
	}
	c.refused("DeleteInstance", values{"InstanceId": hidden, "Force": "true"}, "InvalidInstanceId.NotFound", 404)
	step(t, server, time.Second)
	if c.status(hidden) != "" {
		t.Error("listed for ever")
	}
}

func TestWhatIsConcealedCanBeRevealed(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{NewVisibilityDelay: time.Hour})
	c := newClient(t, server)
	hidden := c.run(nil)
	if c.status(hidden) != "" {
		t.Fatal("it is listed")
	}
	if err := server.Reveal(hidden); err != nil || c.status(hidden) == "" {
		t.Errorf("it is still left out (%v)", err)
	}
	if err := server.Reveal("i-none"); !errors.Is(err, ecsemulator.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

func TestTimingChangesWhileItRuns(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	timing, err := control.CurrentTiming(t.Context())
	if err != nil || timing.BootSeconds != ecsemulator.DefaultBootDuration.Seconds() {
		t.Fatalf("%v %+v", err, timing)
	}
	timing.NewVisibilitySeconds, timing.ReleasedVisibilitySeconds, timing.BootSeconds = 30, 60, 100
	if err := control.SetTiming(t.Context(), timing); err != nil {
		t.Fatal(err)
	}
	id := c.run(nil)
	if got := c.status(id); got != "" {
		t.Errorf("%s at once", got)
	}
	step(t, server, 30*time.Second)
	if got := c.status(id); got != "Starting" {
		t.Errorf("%q in its boot", got)
	}
	step(t, server, 70*time.Second)
	c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	step(t, server, ecsemulator.DefaultReleaseDuration+59*time.Second)
	if c.status(id) == "" {
		t.Error("not listed any more")
	}
	step(t, server, time.Second)
	if c.status(id) != "" {
		t.Error("still listed")
	}
	for name, bad := range map[string]ecsemulator.Timing{"negative": {StopSeconds: -1}, "pending beyond boot": {PendingSeconds: 2, BootSeconds: 1}} {
		if server.SetTiming(bad) == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestAnotherAccountAnswers(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(nil)
	rule := addRule(t, server, ecsemulator.Rule{ID: "moved", Kind: ecsemulator.RuleAccount, AccountID: "42"})
	if got := c.ok("GetCallerIdentity", nil).text(t, "AccountId"); got != "42" {
		t.Errorf("account %s", got)
	}
	if c.status(id) != "" {
		t.Error("the other account has the instance too")
	}
	if err := server.RemoveRule(rule.ID); err != nil {
		t.Fatal(err)
	}
	if got := c.ok("GetCallerIdentity", nil).text(t, "AccountId"); got != ecsemulator.DefaultAccountID || c.status(id) == "" {
		t.Errorf("account %s afterwards", got)
	}
}
