package ecsemulator_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// fetchPage asks the control address for something, as a browser would.
func fetchPage(ctx context.Context, t *testing.T, target string) (reply, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{status: response.StatusCode, header: response.Header}, string(body)
}

// section is the part of the page with an id.
func section(t *testing.T, page, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, `<section id="`+id+`">`)
	if !found {
		t.Fatalf("the page has no section %q", id)
	}
	text, _, _ := strings.Cut(rest, "</section>")
	return text
}

func TestPageShowsMachinesDisksCallsAndFaults(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	_, empty := fetchPage(t.Context(), t, server.ControlURL()+"/")
	for id, want := range map[string]string{
		"machines": "There is none.", "disks": "There is none.", "faults": "No rule is in force.", "answers": "No call was answered yet.",
		"calls": "No call came yet.",
	} {
		if !strings.Contains(section(t, empty, id), want) {
			t.Errorf("section %s of an empty emulator: %s", id, section(t, empty, id))
		}
	}
	id := c.run(values{"InstanceName": "web-1", "Tag.1.Key": "team", "Tag.1.Value": "blue", "DataDisk.1.Size": "77", "DataDisk.1.Category": "cloud_essd"})
	step(t, server, time.Minute)
	c.refused("RunInstances", launch().with(values{"ImageId": "m-none"}), "InvalidImageId.NotFound", 404)
	addRule(t, server, ecsemulator.Rule{
		ID: "slow-launch", Kind: ecsemulator.RuleError, Action: "RunInstances", RegionID: "cn-h*", Parameters: values{"Amount": "7"},
		First: 2, Times: 3, Code: "InternalError", HTTPStatus: 500,
	})
	hold := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "DeleteInstance"})
	done := c.inBackground("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	if _, err := server.WaitHold(t.Context(), hold.ID); err != nil {
		t.Fatal(err)
	}
	response, page := fetchPage(t.Context(), t, server.ControlURL()+"/")
	if response.status != http.StatusOK || response.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %v", response.status, response.header)
	}
	for id, wanted := range map[string][]string{
		"machines": {id, "web-1", "Running", "ecs.g7.large", "cn-hangzhou-", "team=blue", "10."},
		"disks":    {id, "system", "data", `<td data-label="GiB" class="number">77</td>`, "cloud_essd"},
		"faults": {
			"slow-launch", "error", "500 InternalError", "RunInstances in cn-h* with Amount=7", "before the effect, calls 2 to 4",
			"DeleteInstance, is held by <code>" + hold.ID,
		},
		"answers": {"RunInstances", ecsemulator.DefaultAccessKeyID, "404 InvalidImageId.NotFound"},
		"calls":   {"RunInstances", "InstanceType=ecs.g7.large", "404 InvalidImageId.NotFound", "runs"},
	} {
		for _, want := range wanted {
			if !strings.Contains(section(t, page, id), want) {
				t.Errorf("section %s does not tell %q: %s", id, want, section(t, page, id))
			}
		}
	}
	if err := server.RemoveRule(hold.ID); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.err != nil {
		t.Error(got.err)
	}
	step(t, server, time.Hour)
	if _, page := fetchPage(t.Context(), t, server.ControlURL()+"/"); strings.Contains(section(t, page, "machines"), id) {
		t.Error("a machine that is gone is still shown")
	}
}

func TestPageRefreshesItselfAndCanBeHalted(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	_, page := fetchPage(t.Context(), t, server.ControlURL()+"/")
	if !strings.Contains(page, `<meta http-equiv="refresh" content="2">`) || !strings.Contains(page, `name="viewport"`) {
		t.Error("the page does not refresh itself, or does not fit a phone")
	}
	if _, halted := fetchPage(t.Context(), t, server.ControlURL()+"/?refresh=off"); strings.Contains(halted, "http-equiv") {
		t.Error("the page refreshes although it was told not to")
	}
}

func TestPageLoadsNothingAndRunsNothing(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	hostile := `<script>alert("1")</script>`
	c.run(values{"InstanceName": "a" + hostile, "Tag.1.Key": `"><img src=x onerror=alert(1)>`, "Tag.1.Value": hostile})
	c.call(hostile, values{"Action": hostile})
	addRule(t, server, ecsemulator.Rule{ID: hostile, Kind: ecsemulator.RuleError, Code: hostile, HTTPStatus: 500, Action: hostile})
	response, page := fetchPage(t.Context(), t, server.ControlURL()+"/")
	if policy := response.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	if !strings.Contains(page, "&lt;script&gt;") {
		t.Error("this test looks in the wrong place")
	}
	for _, never := range []string{"<script", "<img", "<link", "src=\"", "@import", "url("} {
		if strings.Contains(page, never) {
			t.Errorf("the page holds %q", never)
		}
	}
}

func TestPageStaysShort(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	first := c.ok("RunInstances", launch().with(values{"Amount": "100"})).text(t, "InstanceIdSets", "InstanceIdSet", 0)
	c.ok("RunInstances", launch().with(values{"Amount": "100"}))
	last := c.ok("RunInstances", launch().with(values{"Amount": "5"})).text(t, "InstanceIdSets", "InstanceIdSet", 4)
	_, page := fetchPage(t.Context(), t, server.ControlURL()+"/")
	machines := section(t, page, "machines")
	if !strings.Contains(machines, last) || strings.Contains(machines, first) || !strings.Contains(machines, "5 more are not shown") {
		t.Error("the page does not show the newest 200 of 205")
	}
}

func TestUnknownPathsOfTheControlAddressAreNotThePage(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	if response, _ := fetchPage(t.Context(), t, server.ControlURL()+"/nothing"); response.status != http.StatusNotFound {
		t.Errorf("answers %d", response.status)
	}
}
