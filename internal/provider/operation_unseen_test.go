package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// portal is what a network without a way out may answer in place of the API, and how often
// it was asked.
func portal(t *testing.T) (string, *atomic.Int64) {
	t.Helper()

	asked := &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)

		_, _ = w.Write([]byte("<html>log in</html>"))
	}))
	t.Cleanup(server.Close)

	return strings.TrimPrefix(server.URL, "http://"), asked
}

// plannedReboots plans a reboot of each machine, none of which is in any state yet.
func plannedReboots(p *protocol, machines ...string) []*tfprotov6.Diagnostic {
	p.Helper()

	var said []*tfprotov6.Diagnostic

	for _, machine := range machines {
		_, told := p.create(p.Context(), operationType, arguments{"name": "kernel", "kind": "HostReboot", "provider_id": machine}, false)
		said = append(said, told...)
	}

	return said
}

// A plan that cannot look at the machine of an operation says why. It is an error where
// applying it could only fail.
func TestAPlanThatCannotLookAtAMachineSaysSo(t *testing.T) {
	t.Parallel()

	const later = "The apply looks again before it touches the machine"

	right := ecsemulator.AccessKey{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}

	for name, test := range map[string]struct {
		// machine is another one than the one that there is.
		machine  string
		endpoint string
		key      ecsemulator.AccessKey
		behavior ecsemulator.Behavior
		rule     ecsemulator.Rule
		severity tfprotov6.DiagnosticSeverity
		want     []string
	}{
		"a region that there is not": {
			machine: "cn-hangzou.i-bp1abc", key: right, severity: tfprotov6.DiagnosticSeverityError,
			want: []string{"Cannot look at cn-hangzou.i-bp1abc", "InvalidRegionId", "Correct the provider ID (it is <region>.<instance-id>, with a region of Alibaba Cloud), then run the command again."},
		},
		"no credentials": {
			severity: tfprotov6.DiagnosticSeverityError,
			want:     []string{"Cannot look at cn-hangzhou.i-", "no credentials", "Give credentials in one of the places named above", "then run the command again."},
		},
		"an unknown access key": {
			key: ecsemulator.AccessKey{ID: "LTAI5tUnknown", Secret: "wrong"}, severity: tfprotov6.DiagnosticSeverityError,
			want: []string{"Cannot look at cn-hangzhou.i-", "InvalidAccessKeyId", "Check the AccessKey"},
		},
		"an endpoint where nothing is": {
			endpoint: nowhere, key: right, severity: tfprotov6.DiagnosticSeverityWarning,
			want: []string{"Machine could not be looked at", `HostReboot "kernel"`, "connection refused", later, "Check the endpoint and the region", "then plan again."},
		},
		"a permission that is missing": {
			key: right, behavior: ecsemulator.Behavior{DeniedDescribe: ecsemulator.DenialForbidden}, rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"},
			severity: tfprotov6.DiagnosticSeverityWarning,
			want:     []string{"Machine could not be looked at", "Forbidden.RAM", "ecs:DescribeInstances", later, "Grant the RAM user or role the permission for the action named above, then plan again."},
		},
		"a permission that is missing without a word": {
			key: right, rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"}, severity: tfprotov6.DiagnosticSeverityWarning,
			want: []string{"Machine could not be looked at", "Forbidden.RAM", later, "Grant the RAM user or role the permission"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{Behavior: test.behavior})
			there, _ := existing(t, cloud)

			machine := there.RegionID + "." + there.ID
			if test.machine != "" {
				machine = test.machine
			}

			endpoint := cloud.Endpoint()
			if test.endpoint != "" {
				endpoint = test.endpoint
			}

			if test.rule.Kind != "" {
				cloud.Rule(t, test.rule)
			}

			said := plannedReboots(newProtocolTo(t, endpoint, test.key), machine)
			if len(said) != 1 || said[0].Severity != test.severity || !acctest.Text(test.want...).MatchString(rendered(said)) {
				t.Errorf("it is said\n%swant one %s with %q", rendered(said), test.severity, test.want)
			}
		})
	}
}

// What a plan of many operations cannot look at is not tried for each of them.
func TestAPlanOfManyOperationsLooksInVainOnce(t *testing.T) {
	t.Parallel()

	const operations = 20

	var machines []string
	for i := range operations {
		machines = append(machines, fmt.Sprintf("cn-hangzhou.i-bp1n%d", i))
	}

	count := func(p *protocol) map[tfprotov6.DiagnosticSeverity]int {
		told := map[tfprotov6.DiagnosticSeverity]int{}
		for _, one := range plannedReboots(p, machines...) {
			told[one.Severity]++
		}

		return told
	}

	right := ecsemulator.AccessKey{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}

	t.Run("an endpoint that is none", func(t *testing.T) {
		t.Parallel()

		endpoint, asked := portal(t)
		if told := count(newProtocolTo(t, endpoint, right)); !maps.Equal(told, map[tfprotov6.DiagnosticSeverity]int{tfprotov6.DiagnosticSeverityWarning: operations}) {
			t.Errorf("it is told %v", told)
		}

		// As often as for one operation.
		if calls := asked.Load(); calls != 3 {
			t.Errorf("%d calls, want 3", calls)
		}
	})

	t.Run("an unknown access key", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		if told := count(newProtocolAs(t, cloud, ecsemulator.AccessKey{ID: "LTAI5tUnknown", Secret: "wrong"})); !maps.Equal(told, map[tfprotov6.DiagnosticSeverity]int{tfprotov6.DiagnosticSeverityError: 1}) {
			t.Errorf("it is told %v", told)
		}

		if calls := cloud.Counts()["DescribeInstances"]; calls != 1 {
			t.Errorf("%d calls, want 1", calls)
		}
	})
}

// What operations need beside their machines is asked once, too, whatever is answered.
func TestAPlanOfManyReplacementsLooksInVainOnce(t *testing.T) {
	t.Parallel()

	const operations = 20

	for name, test := range map[string]struct {
		image    string
		rule     ecsemulator.Rule
		severity tfprotov6.DiagnosticSeverity
		want     []string
	}{
		"an image that there is not": {image: "m-none", severity: tfprotov6.DiagnosticSeverityError, want: []string{"The operation cannot be carried out", "the image m-none does not exist"}},
		"a permission that is missing": {
			image: "m-acme2", rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeImages"}, severity: tfprotov6.DiagnosticSeverityWarning,
			want: []string{"What an operation needs could not be looked at", `HostReplace "disk"`, "looking at the image m-acme2", "Forbidden.RAM", "The apply looks again", "Grant the RAM user or role"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			if test.rule.Kind != "" {
				cloud.Rule(t, test.rule)
			}

			p := newProtocol(t, cloud)

			for range operations {
				machine, _ := existing(t, cloud)

				_, said := p.create(t.Context(), operationType, arguments{
					"name": "disk", "kind": "HostReplace", "provider_id": machine.RegionID + "." + machine.ID, "keep_user_data": true, "parameters": arguments{"image_id": test.image},
				}, false)
				if len(said) != 1 || said[0].Severity != test.severity || !acctest.Text(test.want...).MatchString(rendered(said)) {
					t.Fatalf("it is said\n%swant one %s with %q", rendered(said), test.severity, test.want)
				}
			}

			if calls := cloud.Counts()["DescribeImages"]; calls != 1 {
				t.Errorf("%d calls, want 1", calls)
			}
		})
	}
}

// commandCannotLookAtMachines plans operations without the credentials to look at their
// machines: new ones are an error, and one that was carried out never blocks a destroy.
func commandCannotLookAtMachines(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	_, id := existing(t, c.cloud)
	operation := acctest.Operation("op-a", "HostReboot", id)
	edited := acctest.Operation("op-a", "HostReboot", id, acctest.Arguments{"triggers": `{ kernel = "2" }`})
	refused := func() {
		c.provider = "  alicloud = {\n    access_key_id     = \"LTAI5tUnknown\"\n    access_key_secret = \"wrong\"\n  }\n"
	}

	c.configure(operation)
	c.run("init")
	c.run("apply", "-auto-approve")

	// The next run takes the trace of it off the machine.
	c.run("apply", "-auto-approve")

	right := c.provider

	refused()
	c.configure(edited)
	c.expectPrinted(c.run("plan"), "Warning", "Cannot look at cn-hangzhou.i-", "InvalidAccessKeyId", "stays in state as it was carried out", "applying ends with this error")
	c.fail(acctest.Text("Error", "Cannot look at cn-hangzhou.i-", "InvalidAccessKeyId"), "apply", "-auto-approve")

	c.configure(operation + strings.ReplaceAll(edited, "op-a", "op-b"))
	c.fail(acctest.Text("Error", "Cannot look at cn-hangzhou.i-", "InvalidAccessKeyId", "Check the AccessKey"), "plan")

	// An endpoint that does not answer blocks nothing, however the operation was edited.
	c.provider = fmt.Sprintf("  alicloud = {\n    endpoints = { ecs = %q, vpc = %q }\n  }\n", nowhere, nowhere)
	c.configure(edited + acctest.Operation("op-b", "HostReboot", id))
	c.expectPrinted(c.run("plan"), "Warning", "Machine could not be looked at", "The apply looks again before it touches the machine", "more similar warning")
	c.run("destroy", "-auto-approve")

	if phases := c.phases(); len(phases) > 0 {
		t.Errorf("the operations in state are %v", phases)
	}

	c.provider = right
	c.configure(edited)
	c.run("apply", "-auto-approve")

	refused()
	c.configure(acctest.Operation("op-a", "HostReboot", id, acctest.Arguments{"triggers": `{ kernel = "3" }`}))
	c.run("destroy", "-auto-approve")

	if phases := c.phases(); len(phases) > 0 {
		t.Errorf("the operations in state are %v", phases)
	}
}
