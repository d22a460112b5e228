package ecsemulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// still is a server whose clock moves only when it is stepped, near enough for a test.
func still(t *testing.T, options ecsemulator.Options) *ecsemulator.Server {
	t.Helper()
	options.ClockFactor = 1e-6
	return start(t, options)
}

// put brings a new instance into a status.
func put(t *testing.T, server *ecsemulator.Server, c *client, status string) string {
	t.Helper()
	id := c.run(nil)
	boot, stop := ecsemulator.DefaultBootDuration, ecsemulator.DefaultStopDuration
	switch status {
	case "Pending":
	case "Starting (new)":
		step(t, server, ecsemulator.DefaultPendingDuration)
	case "Running":
		step(t, server, boot)
	case "Starting (again)":
		step(t, server, boot)
		c.ok("RebootInstance", values{"InstanceId": id})
	case "Stopping":
		step(t, server, boot)
		c.ok("StopInstance", values{"InstanceId": id})
	case "Stopped":
		step(t, server, boot)
		c.ok("StopInstance", values{"InstanceId": id})
		step(t, server, stop)
	case "releasing":
		step(t, server, boot)
		c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	case "gone":
		step(t, server, boot)
		c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
		step(t, server, ecsemulator.DefaultReleaseDuration)
	default:
		t.Fatalf("no way to %q", status)
	}
	return id
}

// Source: section "Instance lifecycle" of the documentation and the pages of the actions.
func TestTransitions(t *testing.T) {
	t.Parallel()
	const (
		incorrect    = "IncorrectInstanceStatus"
		initializing = "IncorrectInstanceStatus.Initializing"
		absent       = "InvalidInstanceId.NotFound"
	)
	for action, row := range map[string]map[string]string{
		"StartInstance": {
			"Pending": incorrect, "Starting (new)": incorrect, "Running": incorrect, "Starting (again)": incorrect, "Stopping": incorrect,
			"Stopped": "Starting", "releasing": incorrect, "gone": absent,
		},
		"StopInstance": {
			"Pending": incorrect, "Starting (new)": incorrect, "Running": "Stopping", "Starting (again)": incorrect, "Stopping": incorrect,
			"Stopped": incorrect, "releasing": incorrect, "gone": absent,
		},
		"RebootInstance": {
			"Pending": incorrect, "Starting (new)": incorrect, "Running": "Starting", "Starting (again)": incorrect, "Stopping": incorrect,
			"Stopped": incorrect, "releasing": incorrect, "gone": absent,
		},
		"DeleteInstance": {
			"Pending": initializing, "Starting (new)": initializing, "Running": incorrect, "Starting (again)": incorrect, "Stopping": incorrect,
			"Stopped": "Stopped", "releasing": "Stopping", "gone": absent,
		},
		"DeleteInstance by force": {
			"Pending": initializing, "Starting (new)": initializing, "Running": "Stopping", "Starting (again)": incorrect,
			"Stopping": incorrect, "Stopped": "Stopped", "releasing": "Stopping", "gone": absent,
		},
		"DeleteInstances by force": {
			"Pending": initializing, "Starting (new)": initializing, "Running": "Stopping", "Starting (again)": incorrect,
			"Stopping": incorrect, "Stopped": "Stopped", "releasing": "Stopping", "gone": absent,
		},
		"ModifyInstanceAttribute": {
			"Pending": "Pending", "Starting (new)": "Starting", "Running": "Running", "Starting (again)": "Starting", "Stopping": "Stopping",
			"Stopped": "Stopped", "releasing": incorrect, "gone": absent,
		},
	} {
		for from, want := range row {
			t.Run(action+" when "+from, func(t *testing.T) {
				t.Parallel()
				server := still(t, ecsemulator.Options{})
				c := newClient(t, server)
				id := put(t, server, c, from)
				name, force, _ := strings.Cut(action, " ")
				own := values{"InstanceId": id}
				if name == "DeleteInstances" {
					own = values{"InstanceId.1": id}
				}
				if force != "" {
					own["Force"] = "true"
				}
				if name == "ModifyInstanceAttribute" {
					own["InstanceName"] = "renamed"
				}
				if strings.HasPrefix(want, "I") {
					status := 403
					if want == absent {
						status = 404
					}
					before := len(server.Journal())
					c.refused(name, own, want, status)
					if len(server.Journal()) != before {
						t.Error("a refused call had an effect")
					}
					return
				}
				c.ok(name, own)
				if got := c.status(id); got != want {
					t.Errorf("%s afterwards, want %s", got, want)
				}
			})
		}
	}
}

func TestStatusFollowsTheClock(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{
		PendingDuration: 10 * time.Second, BootDuration: 30 * time.Second, StopDuration: 20 * time.Second, ReleaseDuration: 5 * time.Second,
	})
	c := newClient(t, server)
	id := c.run(nil)
	expect := func(after time.Duration, want string) {
		t.Helper()
		step(t, server, after)
		if got := c.status(id); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	expect(0, "Pending")
	expect(9*time.Second, "Pending")
	expect(time.Second, "Starting")
	expect(19*time.Second, "Starting")
	expect(time.Second, "Running")
	c.ok("StopInstance", values{"InstanceId": id})
	expect(19*time.Second, "Stopping")
	expect(time.Second, "Stopped")
	c.ok("StartInstance", values{"InstanceId": id})
	expect(29*time.Second, "Starting")
	expect(time.Second, "Running")
	c.ok("RebootInstance", values{"InstanceId": id})
	expect(0, "Starting")
	expect(30*time.Second, "Running")
	c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	expect(4*time.Second, "Stopping")
	expect(time.Second, "")
	got := ""
	for _, effect := range server.Journal() {
		got += effect.Effect + " "
	}
	if want := "created stopped started rebooted releasing gone "; got != want {
		t.Errorf("journal %q, want %q", got, want)
	}
}

func TestNegativeDurationsMeanAtOnce(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{BootDuration: -1, StopDuration: -1, ReleaseDuration: -1})
	c := newClient(t, server)
	id := c.run(nil)
	if got := c.status(id); got != "Running" {
		t.Errorf("new: %s", got)
	}
	c.ok("StopInstance", values{"InstanceId": id})
	if got := c.status(id); got != "Stopped" {
		t.Errorf("stopped: %s", got)
	}
	c.ok("DeleteInstance", values{"InstanceId": id})
	if got := c.status(id); got != "" {
		t.Errorf("released: %s", got)
	}
}

func TestReadsMissWhatIsNewAndListWhatIsGone(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{NewVisibilityDelay: 20 * time.Second, ReleasedVisibilityDelay: 10 * time.Second})
	c := newClient(t, server)
	id := c.run(values{"Tag.1.Key": "k", "Tag.1.Value": "v"})
	if got := c.status(id); got != "" {
		t.Errorf("listed at once as %s", got)
	}
	if n := len(c.ok("DescribeInstances", values{"Tag.1.Key": "k"}).list(t, "Instances", "Instance")); n != 0 {
		t.Errorf("%d listed by tag at once", n)
	}
	if n := len(server.Instances()); n != 1 {
		t.Errorf("%d exist", n)
	}
	c.refused("DeleteInstances", values{"InstanceId.1": id, "DryRun": "true"}, "IncorrectInstanceStatus.Initializing", 403)
	step(t, server, 20*time.Second)
	c.refused("DeleteInstances", values{"InstanceId.1": id, "DryRun": "true", "Force": "true"}, "DRYRUN.SUCCESS", 400)
	if got := c.status(id); got != "Running" {
		t.Errorf("after the delay: %q", got)
	}
	c.ok("DeleteInstances", values{"InstanceId.1": id, "Force": "true"})
	step(t, server, ecsemulator.DefaultReleaseDuration)
	if got := c.status(id); got != "Stopped" {
		t.Errorf("gone but still listed: %q", got)
	}
	c.refused("DeleteInstances", values{"InstanceId.1": id, "DryRun": "true"}, "InvalidInstanceId.NotFound", 404)
	step(t, server, 10*time.Second)
	if got := c.status(id); got != "" {
		t.Errorf("gone: %q", got)
	}
}

func TestDeleteInstancesIsAllOrNothing(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	a, b := c.run(nil), c.run(nil)
	step(t, server, time.Minute)
	c.refused("DeleteInstances", values{"InstanceId.1": a, "InstanceId.2": "i-none", "Force": "true"}, "InvalidInstanceId.NotFound", 404)
	if c.status(a) != "Running" {
		t.Error("one bad id did not refuse the whole call")
	}
	c.ok("DeleteInstances", values{"InstanceId.1": a, "InstanceId.2": b, "Force": "true"})
	step(t, server, time.Minute)
	if n := len(server.Instances()); n != 0 {
		t.Errorf("%d left", n)
	}
}

func TestASecondDeleteHasNoSecondEffect(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{ReleaseDuration: 10 * time.Second})
	c := newClient(t, server)
	id := put(t, server, c, "releasing")
	step(t, server, 6*time.Second)
	c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	step(t, server, 4*time.Second)
	if got := c.status(id); got != "" {
		t.Errorf("the second delete kept it %s", got)
	}
	got := ""
	for _, effect := range server.Journal() {
		got += effect.Effect + " "
	}
	if got != "created releasing gone " {
		t.Errorf("journal %q", got)
	}
	id = put(t, server, c, "releasing")
	if err := server.SetBehavior(ecsemulator.Behavior{ReleasingRefusesDelete: true, DeleteNotFoundCode: "InvalidInstanceIds.NotFound"}); err != nil {
		t.Fatal(err)
	}
	c.refused("DeleteInstance", values{"InstanceId": id, "Force": "true"}, "IncorrectInstanceStatus", 403)
	c.refused("DeleteInstances", values{"InstanceId.1": "i-none"}, "InvalidInstanceIds.NotFound", 404)
}

func TestProtectionAndSubscriptionRefuseRelease(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	protected := c.run(values{"DeletionProtection": "true"})
	paid := c.run(values{"InstanceChargeType": "PrePaid", "Period": "1"})
	step(t, server, time.Minute)
	c.refused("DeleteInstance", values{"InstanceId": protected, "Force": "true"}, "InvalidOperation.DeletionProtection", 403)
	c.ok("ModifyInstanceAttribute", values{"InstanceId": protected, "DeletionProtection": "false"})
	c.ok("DeleteInstance", values{"InstanceId": protected, "Force": "true"})
	c.refused("DeleteInstance", values{"InstanceId": paid, "Force": "true"}, "ChargeTypeViolation", 403)
}

func TestAutoReleaseTakesAnInstanceAway(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	at := server.Now().Add(40 * time.Minute)
	id := c.run(values{"AutoReleaseTime": at.Format("2006-01-02T15:04:05Z")})
	answer := c.ok("DescribeInstances", nil)
	if got := answer.text(t, "Instances", "Instance", 0, "AutoReleaseTime"); got != at.Format("2006-01-02T15:04Z") {
		t.Errorf("AutoReleaseTime %s", got)
	}
	step(t, server, 38*time.Minute)
	if c.status(id) == "" {
		t.Error("gone too early")
	}
	step(t, server, 2*time.Minute)
	if c.status(id) != "" {
		t.Error("still there")
	}
	c.refused("RunInstances", launch().with(values{"AutoReleaseTime": server.Now().Add(time.Minute).Format("2006-01-02T15:04:05Z")}),
		"InvalidAutoReleaseTime.Malformed", 400)
}

func TestRegionsAndAccountsAreApart(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{AccessKeys: []ecsemulator.AccessKey{
		{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}, {ID: "other", Secret: "s", AccountID: "42", UserName: "eve"},
	}})
	here := newClient(t, server)
	id := here.run(nil)
	step(t, server, time.Minute)
	there := newClient(t, server)
	there.region = "cn-shanghai"
	stranger := newClient(t, server)
	stranger.id, stranger.secret = "other", "s"
	for name, c := range map[string]*client{"another region": there, "another account": stranger} {
		if got := c.status(id); got != "" {
			t.Errorf("%s sees it as %s", name, got)
		}
		c.refused("DeleteInstance", values{"InstanceId": id, "Force": "true"}, "InvalidInstanceId.NotFound", 404)
		c.refused("TagResources", values{"ResourceType": "instance", "ResourceId.1": id, "Tag.1.Key": "a"}, "InvalidResourceId.NotFound", 404)
	}
	if got := stranger.ok("GetCallerIdentity", nil).text(t, "IdentityType"); got != "RAMUser" {
		t.Errorf("identity %s", got)
	}
	here.ok("DeleteInstance", values{"InstanceId": id, "Force": "true", "RegionId": "-"})
}

func TestTimesHaveMinutePrecision(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	c.run(nil)
	answer := c.ok("DescribeInstances", nil)
	for _, field := range []string{"CreationTime", "StartTime", "ExpiredTime"} {
		if _, err := time.Parse("2006-01-02T15:04Z", answer.text(t, "Instances", "Instance", 0, field)); err != nil {
			t.Error(err)
		}
	}
	disks := c.ok("DescribeDisks", nil)
	if _, err := time.Parse("2006-01-02T15:04:05Z", disks.text(t, "Disks", "Disk", 0, "CreationTime")); err != nil {
		t.Error(err)
	}
}
