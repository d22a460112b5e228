package ecsemulator_test

import (
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestAnswersAreCountedByActionCallerStatusAndCode(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{AccessKeys: append(gatewayKeys(), ecsemulator.AccessKey{ID: "other", Secret: "s"})})
	c := newClient(t, server)
	other := *c
	other.id, other.secret = "other", "s"
	c.ok("DescribeRegions", nil)
	c.ok("DescribeRegions", nil)
	other.ok("DescribeRegions", nil)
	other.refused("DescribeInstances", values{"RegionId": "mars"}, "InvalidRegionId.NotFound", 404)
	addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "DescribeZones"})
	if _, err := c.try("DescribeZones", nil); err == nil {
		t.Error("a cut call was answered")
	}
	hold := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "DescribeImages"})
	done := c.inBackground("DescribeImages", nil)
	if _, err := server.WaitHold(t.Context(), hold.ID); err != nil {
		t.Fatal(err)
	}
	acs3(t, server, ecsemulator.DefaultAccessKeySecret, nil)
	id := ecsemulator.DefaultAccessKeyID
	want := []ecsemulator.AnswerCount{
		{Action: "DescribeInstances", AccessKeyID: "other", Status: 404, Code: "InvalidRegionId.NotFound", Calls: 1},
		{Action: "DescribeRegions", AccessKeyID: id, Status: 200, Calls: 3},
		{Action: "DescribeRegions", AccessKeyID: "other", Status: 200, Calls: 1},
		{Action: "DescribeZones", AccessKeyID: id, Status: 0, Calls: 1},
	}
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	got, err := control.AnswerCounts(t.Context())
	if err != nil || !slices.Equal(got, want) || !slices.Equal(server.AnswerCounts(), want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	server.ResetCalls()
	if err := server.RemoveRule(hold.ID); err != nil {
		t.Fatal(err)
	}
	<-done
	if got := server.AnswerCounts(); len(got) != 0 {
		t.Errorf("after a reset, with a call from before it answered: %+v", got)
	}
}
