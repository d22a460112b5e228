package ecsemulator_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Source: ecs-api 2.1 (a 200 is not a promise) and 2.21, DescribeInstanceHistoryEvents.
func TestWithdrawnLaunchesAreTold(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{{Kind: ecsemulator.RuleWithdraw, Seconds: 10, Action: "RunInstances", Times: 2}}})
	c := newClient(t, server)
	first := c.run(nil)
	step(t, server, time.Hour)
	begin := server.Now().Format("2006-01-02T15:04:05Z")
	second := c.run(nil)
	kept := c.run(nil)
	step(t, server, time.Hour)
	c.ok("DeleteInstance", values{"InstanceId": kept, "Force": "true"})
	step(t, server, time.Hour)
	all := c.ok("DescribeInstanceHistoryEvents", nil)
	for name, row := range map[string]struct {
		own  values
		want string
	}{
		"all, newest first":      {nil, second + " " + first},
		"one instance":           {values{"InstanceId": first}, first},
		"by resource":            {values{"ResourceId.1": first, "ResourceType": "instance"}, first},
		"what a call released":   {values{"InstanceId": kept}, ""},
		"type":                   {values{"InstanceEventType.1": "SystemFailure.Delete", "InstanceEventType.2": "SystemMaintenance.Reboot"}, second + " " + first},
		"other type":             {values{"EventType": "SystemMaintenance.Reboot"}, ""},
		"done":                   {values{"EventCycleStatus": "Executed"}, second + " " + first},
		"to come":                {values{"InstanceEventCycleStatus.1": "Scheduled"}, ""},
		"since":                  {values{"EventPublishTime.Start": begin}, second},
		"until":                  {values{"EventPublishTime.End": begin}, first},
		"by event":               {values{"EventId.1": all.text(t, "InstanceSystemEventSet", "InstanceSystemEventType", 1, "EventId")}, first},
		"of another kind":        {values{"ResourceType": "ddh"}, ""},
		"not before, until then": {values{"NotBefore.End": begin}, first},
	} {
		answer := c.ok("DescribeInstanceHistoryEvents", row.own)
		var got []string
		for n := range answer.list(t, "InstanceSystemEventSet", "InstanceSystemEventType") {
			got = append(got, answer.text(t, "InstanceSystemEventSet", "InstanceSystemEventType", n, "InstanceId"))
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: %v, want %s", name, got, row.want)
		}
	}
	step(t, server, 31*24*time.Hour)
	if got := c.ok("DescribeInstanceHistoryEvents", nil).at(t, "TotalCount"); got != 0.0 {
		t.Errorf("%v events after a month, want none", got)
	}
}

// Source: the GetInstanceConsoleOutput page.
func TestConsoleTellsTheLastStartOrStop(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := instanceIn(t, server, c, "Running", values{"HostName": "worker", "UserData": base64.StdEncoding.EncodeToString([]byte(secretText))})
	console := func() (text, at string) {
		answer := c.ok("GetInstanceConsoleOutput", values{"InstanceId": id})
		raw, err := base64.StdEncoding.DecodeString(answer.text(t, "ConsoleOutput"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw), answer.text(t, "LastUpdateTime")
	}
	booted, first := console()
	if !strings.Contains(booted, "worker login:") || strings.Contains(booted, secretText) {
		t.Errorf("console after the start: %q", booted)
	}
	step(t, server, time.Hour)
	c.ok("StopInstance", values{"InstanceId": id})
	step(t, server, time.Minute)
	stopped, second := console()
	if !strings.HasSuffix(stopped, "Power down\n") || second <= first {
		t.Errorf("console after the stop, at %s and %s: %q", first, second, stopped)
	}
}

// secretText is user data that no console may show.
const secretText = "password-in-user-data"

// Source: ecs-api 2.21, key pairs and roles: each instance has its own result.
func TestResultsOfRolesAndKeyPairsAreOneByOne(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Catalogue: rolesCatalogue(t)})
	c := newClient(t, server)
	linux := c.run(nil)
	windows := c.run(values{"ImageId": "win2022_21H2_x64_dtc_en-us_40G_alibase_20260114.vhd"})
	ids := `["` + linux + `","` + windows + `","i-none"]`
	pairs := c.ok("AttachKeyPair", values{"InstanceIds": ids, "KeyPairName": "acme-key"})
	for n, want := range []string{"200", "DependencyViolation.WindowsInstance", "InvalidInstanceId.NotFound"} {
		if got := pairs.text(t, "Results", "Result", n, "Code"); got != want {
			t.Errorf("key pair of instance %d: %s, want %s", n, got, want)
		}
	}
	if pairs.text(t, "FailCount") != "2" {
		t.Errorf("FailCount %s, want 2", pairs.text(t, "FailCount"))
	}
	detached := c.ok("DetachKeyPair", values{"InstanceIds": `["` + linux + `","` + windows + `"]`, "KeyPairName": "acme-key"})
	if detached.text(t, "Results", "Result", 0, "Code") != "200" || detached.text(t, "Results", "Result", 1, "Code") != "InvalidKeyPairName.NotFound" {
		t.Errorf("detaching: %s", detached.body)
	}
	c.ok("AttachInstanceRamRole", values{"InstanceIds": `["` + linux + `"]`, "RamRoleName": "acme-node-role"})
	attached := c.ok("AttachInstanceRamRole", values{"InstanceIds": ids, "RamRoleName": "other-role"})
	for n, want := range []string{"InvalidOperation.RamRoleAlreadyAttached", "200", "InvalidInstanceId.NotFound"} {
		if got := attached.text(t, "AttachInstanceRamRoleResults", "AttachInstanceRamRoleResult", n, "Code"); got != want {
			t.Errorf("role of instance %d: %s, want %s", n, got, want)
		}
	}
	roles := c.ok("DescribeInstanceRamRole", values{"RamRoleName": "other-role"})
	if got := roles.list(t, "InstanceRamRoleSets", "InstanceRamRoleSet"); len(got) != 1 {
		t.Errorf("instances of other-role: %s", roles.body)
	}
	taken := c.ok("DetachInstanceRamRole", values{"InstanceIds": ids, "RamRoleName": "other-role"})
	for n, want := range []string{"InvalidRamRole.NotFound", "200", "InvalidInstanceId.NotFound"} {
		if got := taken.text(t, "DetachInstanceRamRoleResults", "DetachInstanceRamRoleResult", n, "Code"); got != want {
			t.Errorf("taking the role of instance %d: %s, want %s", n, got, want)
		}
	}
}

func rolesCatalogue(t *testing.T) *ecsemulator.Catalogue {
	t.Helper()
	catalogue, err := ecsemulator.DefaultCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	catalogue.RAMRoles = append(catalogue.RAMRoles, "other-role")
	return catalogue
}
