package ecsemulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func created(server *ecsemulator.Server) int {
	count := 0
	for _, effect := range server.Journal() {
		if effect.Effect == "created" {
			count++
		}
	}
	return count
}

func TestExactlyOneMachineWasEverCreated(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{
		{Kind: ecsemulator.RuleCut, Action: "RunInstances", At: ecsemulator.MomentAfter, Times: 1},
		{Kind: ecsemulator.RuleHTML, Action: "RunInstances", First: 2, Times: 1},
		{Kind: ecsemulator.RuleError, Action: "RunInstances", First: 3, Times: 1, Code: "InternalError", HTTPStatus: 500, At: ecsemulator.MomentAfter},
	}})
	c := newClient(t, server)
	own := launch().with(values{"ClientToken": "intent"})
	for attempt := range 5 {
		answer, err := c.try("RunInstances", own)
		if (err == nil && answer.status == 200) != (attempt >= 3) {
			t.Fatalf("attempt %d: %v %s", attempt+1, err, answer.body)
		}
	}
	step(t, server, time.Minute)
	c.ok("DeleteInstance", values{"InstanceId": server.Instances()[0].ID, "Force": "true"})
	step(t, server, time.Minute)
	if got := created(server); got != 1 || len(server.Instances()) != 0 {
		t.Errorf("%d created, %d left", got, len(server.Instances()))
	}
}

func TestTheJournalTellsWhoDidWhat(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{AccessKeys: []ecsemulator.AccessKey{
		{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}, {ID: "eve", Secret: "s", UserName: "eve"},
	}})
	owner, eve := newClient(t, server), newClient(t, server)
	eve.id, eve.secret = "eve", "s"
	id := owner.run(nil)
	step(t, server, time.Minute)
	eve.ok("TagResources", values{"ResourceType": "instance", "ResourceId.1": id, "Tag.1.Key": "a", "Tag.1.Value": "b"})
	eve.ok("UntagResources", values{"ResourceType": "instance", "ResourceId.1": id, "TagKey.1": "a"})
	eve.ok("ModifyInstanceAttribute", values{"InstanceId": id, "InstanceName": "hers"})
	eve.ok("StopInstance", values{"InstanceId": id})
	step(t, server, time.Minute)
	eve.ok("StartInstance", values{"InstanceId": id})
	step(t, server, time.Minute)
	owner.ok("RebootInstance", values{"InstanceId": id})
	step(t, server, time.Minute)
	owner.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	step(t, server, time.Minute)
	root, user := "acs:ram::"+ecsemulator.DefaultAccountID+":root", "acs:ram::"+ecsemulator.DefaultAccountID+":user/eve"
	want := []string{
		"created RunInstances " + root, "tagged TagResources " + user, "untagged UntagResources " + user,
		"modified ModifyInstanceAttribute " + user, "stopped StopInstance " + user, "started StartInstance " + user,
		"rebooted RebootInstance " + root, "releasing DeleteInstance " + root, "gone  ",
	}
	got := []string{}
	for n, effect := range server.Journal() {
		got = append(got, effect.Effect+" "+effect.Action+" "+effect.Caller)
		if effect.Sequence != n+1 || effect.InstanceID != id || (effect.AccessKeyID == "") != (effect.Effect == "gone") {
			t.Errorf("effect %+v", effect)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("journal:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheJournalTellsOfDisksAlone(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(values{"DataDisk.1.Size": "40", "DataDisk.1.DeleteWithInstance": "false"})
	step(t, server, time.Minute)
	c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	step(t, server, time.Minute)
	disk := c.ok("DescribeDisks", nil).text(t, "Disks", "Disk", 0, "DiskId")
	c.ok("TagResources", values{"ResourceType": "disk", "ResourceId.1": disk, "Tag.1.Key": "a"})
	c.ok("UntagResources", values{"ResourceType": "disk", "ResourceId.1": disk, "All": "true"})
	c.ok("DeleteDisk", values{"DiskId": disk})
	c.ok("DeleteDisk", values{"DiskId": disk})
	got := []string{}
	for _, effect := range server.Journal() {
		if effect.ResourceID == disk {
			got = append(got, effect.Effect+" "+effect.Action+" "+effect.Detail)
		}
	}
	if want := "tagged TagResources a,untagged UntagResources a,deleted DeleteDisk "; strings.Join(got, ",") != want {
		t.Errorf("journal %q, want %q", strings.Join(got, ","), want)
	}
}

func TestTheClockIsSet(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	id := c.run(nil)
	to := server.Now().Add(time.Hour)
	if err := control.SetTime(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if off := server.Now().Sub(to); off < 0 || off > time.Minute {
		t.Errorf("the clock shows %s", server.Now())
	}
	if got := c.status(id); got != "Running" {
		t.Errorf("%q after an hour", got)
	}
	if control.SetTime(t.Context(), to.Add(-time.Hour)) == nil {
		t.Error("the clock was set back")
	}
}
