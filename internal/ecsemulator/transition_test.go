package ecsemulator_test

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// statuses are all that an instance can be in.
func statuses() []string {
	return []string{"Pending", "Starting (new)", "Running", "Starting (again)", "Stopping", "Stopped", "releasing", "gone"}
}

// Every action that changes an instance, in every status: where it is legal, what it answers where it is not, and that it then changes
// nothing. Start, stop, reboot and delete of one instance are in TestTransitions. Source: ecs-api 2.4 to 2.21 and 3.1.
func TestChangesInEveryStatus(t *testing.T) {
	t.Parallel()
	const absent = "InvalidInstanceId.NotFound 404"
	for name, row := range map[string]struct {
		action string
		own    values
		legal  string // the statuses in which it is legal, separated by commas
		code   string // what it answers in the others, with its status
		gone   string // what it answers once the instance is gone, if not absent
	}{
		"StartInstances":                {action: "StartInstances", own: values{"InstanceId.1": "{id}"}, legal: "Stopped", code: "IncorrectInstanceStatus 403"},
		"StopInstances":                 {action: "StopInstances", own: values{"InstanceId.1": "{id}"}, legal: "Running", code: "IncorrectInstanceStatus 403"},
		"RebootInstances":               {action: "RebootInstances", own: values{"InstanceId.1": "{id}"}, legal: "Running", code: "IncorrectInstanceStatus 403"},
		"ReplaceSystemDisk":             {action: "ReplaceSystemDisk", own: values{"InstanceId": "{id}"}, legal: "Stopped", code: "IncorrectInstanceStatus 403"},
		"ModifyInstanceMetadataOptions": {action: "ModifyInstanceMetadataOptions", own: values{"InstanceId": "{id}", "HttpEndpoint": "disabled"}, legal: "Running,Stopped", code: "IncorrectInstanceStatus 403"},
		"ModifyInstanceSpec, bandwidth": {action: "ModifyInstanceSpec", own: values{"InstanceId": "{id}", "InternetMaxBandwidthOut": "5"}, legal: "Running,Stopped", code: "IncorrectInstanceStatus 403"},
		"JoinSecurityGroup":             {action: "JoinSecurityGroup", own: values{"InstanceId": "{id}", "SecurityGroupId": "sg-2"}, legal: "Running,Stopped", code: "IncorrectInstanceStatus 403"},
		"ModifyInstanceChargeType":      {action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["{id}"]`, "Period": "1"}, legal: "Running,Stopped", code: "IncorrectInstanceStatus 403"},
		"ModifyInstanceAutoReleaseTime": {
			action: "ModifyInstanceAutoReleaseTime", own: values{"InstanceId": "{id}", "AutoReleaseTime": "{tomorrow}"},
			legal: "Pending,Starting (new),Running,Starting (again),Stopping,Stopped", code: "IncorrectInstanceStatus 403",
		},
	} {
		for _, from := range statuses() {
			t.Run(name+" when "+from, func(t *testing.T) {
				t.Parallel()
				server := still(t, ecsemulator.Options{})
				c := newClient(t, server)
				id := put(t, server, c, from)
				tomorrow := server.Now().AddDate(0, 0, 1).Format("2006-01-02T15:04:05Z")
				own := row.own.filledIn(strings.NewReplacer("{id}", id, "{tomorrow}", tomorrow))
				before := len(server.Journal())
				answer := c.call(row.action, own)
				want := row.code
				switch {
				case from == "gone":
					want = absent
				case strings.Contains(","+row.legal+",", ","+from+","):
					if answer.status != 200 {
						t.Fatalf("refused: %s", answer.body)
					}
					if len(server.Journal()) != before+1 {
						t.Errorf("%d effects, want 1", len(server.Journal())-before)
					}
					return
				}
				if code, status, _ := strings.Cut(want, " "); answer.Code != code || map[int]string{403: "403", 404: "404", 400: "400"}[answer.status] != status {
					t.Fatalf("%d %s, want %s", answer.status, answer.body, want)
				}
				if len(server.Journal()) != before {
					t.Error("a refused call had an effect")
				}
			})
		}
	}
}

// ModifyInstanceSpec of the type tells its own code. Source: ecs-api 2.10.
func TestTypeChangesOnlyWhenStopped(t *testing.T) {
	t.Parallel()
	for _, from := range statuses() {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{})
			c := newClient(t, server)
			own := values{"InstanceId": put(t, server, c, from), "InstanceType": "ecs.g7.xlarge"}
			switch from {
			case "Stopped":
				c.ok("ModifyInstanceSpec", own)
			case "gone":
				c.refused("ModifyInstanceSpec", own, "InvalidInstanceId.NotFound", 404)
			case "releasing":
				c.refused("ModifyInstanceSpec", own, "IncorrectInstanceStatus", 403)
			default:
				c.refused("ModifyInstanceSpec", own, "InvalidInstanceStatus.NotStopped", 400)
			}
		})
	}
}

// SuccessFirst switches what can be switched and tells of each. Source: ecs-api 2.21.
func TestSuccessFirstTellsOfEach(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	own, want := values{"BatchOptimization": "SuccessFirst"}, map[string]string{}
	for n, from := range []string{"Running", "Stopped", "gone"} {
		id := put(t, server, c, from)
		own["InstanceId."+string(rune('1'+n))] = id
		want[id] = map[string]string{"Running": "200 Running Stopping", "Stopped": "IncorrectInstanceStatus Stopped Stopped", "gone": "InvalidInstanceId.NotFound  "}[from]
	}
	own["InstanceId.4"] = own["InstanceId.1"] // given twice, switched once
	before := len(server.Journal())
	answer := c.ok("StopInstances", own)
	for n := range answer.list(t, "InstanceResponses", "InstanceResponse")[:3] {
		at := func(name string) string { return answer.text(t, "InstanceResponses", "InstanceResponse", n, name) }
		if got := at("Code") + " " + at("PreviousStatus") + " " + at("CurrentStatus"); got != want[at("InstanceId")] {
			t.Errorf("%s: %q, want %q", at("InstanceId"), got, want[at("InstanceId")])
		}
	}
	if got := len(server.Journal()) - before; got != 1 {
		t.Errorf("%d effects, want 1", got)
	}
}
