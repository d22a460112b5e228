package ecsemulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// refusalRow is one refusal: a call that an instance {id}, its disk {disk}, or its second network interface {eni} gets.
type refusalRow struct {
	source string // where the code and its status come from
	name   string
	action string
	own    values
	code   string
	status int
	// launch is what the instance is launched with, in the status that it has, Running if empty.
	launch values
	in     string
	// before is what happens before the call.
	before func(t *testing.T, server *ecsemulator.Server, c *client, names *strings.Replacer)
}

// instanceIn brings an instance into a status.
func instanceIn(t *testing.T, server *ecsemulator.Server, c *client, status string, more values) string {
	t.Helper()
	id := c.run(more)
	if status == "Pending" {
		return id
	}
	step(t, server, ecsemulator.DefaultBootDuration)
	switch status {
	case "", "Running":
	case "Starting":
		c.ok("RebootInstance", values{"InstanceId": id})
	case "Stopping", "Stopped":
		c.ok("StopInstance", values{"InstanceId": id})
		if status == "Stopped" {
			step(t, server, ecsemulator.DefaultStopDuration)
		}
	case "releasing":
		c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	default:
		t.Fatalf("no way to %q", status)
	}
	return id
}

func (v values) filledIn(names *strings.Replacer) values {
	filled := values{}
	for name, value := range v {
		filled[name] = names.Replace(value)
	}
	return filled
}

// namesOf are the ids that rows can use.
func namesOf(t *testing.T, c *client, id string) *strings.Replacer {
	t.Helper()
	pairs := []string{"{id}", id}
	if disks := c.ok("DescribeDisks", values{"InstanceId": id}); len(disks.list(t, "Disks", "Disk")) > 0 {
		pairs = append(pairs, "{disk}", disks.text(t, "Disks", "Disk", 0, "DiskId"))
	}
	cards := c.ok("DescribeNetworkInterfaces", values{"InstanceId": id})
	for n := range cards.list(t, "NetworkInterfaceSets", "NetworkInterfaceSet") {
		name := []string{"{primary}", "{eni}", "{third}"}[n]
		pairs = append(pairs, name, cards.text(t, "NetworkInterfaceSets", "NetworkInterfaceSet", n, "NetworkInterfaceId"))
	}
	return strings.NewReplacer(pairs...)
}

func TestActionsRefuse(t *testing.T) {
	t.Parallel()
	for _, rows := range [][]refusalRow{powerRefusals(), changeRefusals(), diskRefusals(), interfaceRefusals(), accessRefusals(), readRefusals()} {
		for _, row := range rows {
			t.Run(row.action+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				server := still(t, ecsemulator.Options{})
				c := newClient(t, server)
				names := namesOf(t, c, instanceIn(t, server, c, row.in, row.launch))
				if row.before != nil {
					row.before(t, server, c, names)
				}
				journal := len(server.Journal())
				c.refused(row.action, row.own.filledIn(names), row.code, row.status)
				if len(server.Journal()) != journal {
					t.Errorf("a refused call had an effect (%s)", row.source)
				}
			})
		}
	}
}

func soldOut(t *testing.T, server *ecsemulator.Server, _ *client, _ *strings.Replacer) {
	t.Helper()
	if err := server.SetStock(ecsemulator.Stock{StatusCategory: "WithoutStock"}); err != nil {
		t.Fatal(err)
	}
}

// calls makes calls that must succeed.
func calls(pairs ...any) func(*testing.T, *ecsemulator.Server, *client, *strings.Replacer) {
	return func(t *testing.T, server *ecsemulator.Server, c *client, names *strings.Replacer) {
		t.Helper()
		for n := 0; n < len(pairs); n += 2 {
			c.ok(pairs[n].(string), pairs[n+1].(values).filledIn(names))
			step(t, server, time.Minute)
		}
	}
}

// manyIDs are one more than a call takes.
func manyIDs(prefix string) values {
	ids := values{}
	for n := range 101 {
		ids[fmt.Sprintf("%s.%d", prefix, n+1)] = fmt.Sprintf("i-%d", n)
	}
	return ids
}

func jsonIDs(count int) string {
	ids := make([]string, count)
	for n := range ids {
		ids[n] = fmt.Sprintf(`"i-%d"`, n)
	}
	return "[" + strings.Join(ids, ",") + "]"
}

const page = " page" // of the API reference

func powerRefusals() []refusalRow {
	return []refusalRow{
		{source: "StartInstance" + page, name: "out of stock", action: "StartInstance", own: values{"InstanceId": "{id}"}, code: "OperationDenied.NoStock", status: 403, in: "Running", before: func(t *testing.T, server *ecsemulator.Server, c *client, names *strings.Replacer) {
			t.Helper()
			calls("StopInstance", values{"InstanceId": "{id}", "StoppedMode": "StopCharging"})(t, server, c, names)
			soldOut(t, server, c, names)
		}},
		{source: "StopInstance" + page, name: "mode", action: "StopInstance", own: values{"InstanceId": "{id}", "StoppedMode": "Sleep"}, code: "InvalidParameter", status: 400},
		{source: "StartInstances" + page, name: "no ids", action: "StartInstances", code: "MissingParameter", status: 400},
		{source: "StartInstances" + page, name: "too many ids", action: "StartInstances", own: manyIDs("InstanceId"), code: "InvalidParameter.TooManyInstanceIds", status: 403},
		{source: "StartInstances" + page, name: "mode", action: "StartInstances", own: values{"InstanceId.1": "{id}", "BatchOptimization": "Fast"}, code: "InvalidParameter", status: 400},
		{source: "StartInstances" + page, name: "one is running", action: "StartInstances", own: values{"InstanceId.1": "{id}"}, code: "IncorrectInstanceStatus", status: 403},
		{source: "StartInstances" + page, name: "one is absent", action: "StartInstances", own: values{"InstanceId.1": "{id}", "InstanceId.2": "i-none"}, in: "Stopped", code: "InvalidInstanceId.NotFound", status: 404},
		{source: "ecs-api 2.1", name: "dry run together", action: "StopInstances", own: values{"InstanceId.1": "{id}", "DryRun": "true"}, code: "DRYRUN.SUCCESS", status: 400},
		{source: "ecs-api 2.1", name: "dry run whatever the check found", action: "StartInstances", own: values{"InstanceId.1": "{id}", "DryRun": "true", "BatchOptimization": "SuccessFirst"}, code: "DRYRUN.SUCCESS", status: 400},
		{source: "StopInstances" + page, name: "mode of stopping", action: "StopInstances", own: values{"InstanceId.1": "{id}", "StoppedMode": "Sleep"}, code: "InvalidParameter", status: 400},
	}
}

func changeRefusals() []refusalRow {
	spec := func(more values) values {
		return values{"InstanceId": "{id}", "InstanceType": "ecs.g7.xlarge"}.with(more)
	}
	prepaid := values{"InstanceChargeType": "PrePaid", "Period": "1"}
	return []refusalRow{
		{source: "ecs-api 2.10", name: "running", action: "ModifyInstanceSpec", own: spec(nil), code: "InvalidInstanceStatus.NotStopped", status: 400},
		{source: "ecs-api 2.10", name: "type and bandwidth", action: "ModifyInstanceSpec", own: spec(values{"InternetMaxBandwidthOut": "5"}), in: "Stopped", code: "InvalidParameter.Mismatch", status: 400},
		{source: "ecs-api 2.10", name: "nothing to change", action: "ModifyInstanceSpec", own: values{"InstanceId": "{id}"}, in: "Stopped", code: "MissingParameter", status: 400},
		{source: "ecs-api 2.10", name: "unknown type", action: "ModifyInstanceSpec", own: spec(values{"InstanceType": "ecs.none"}), in: "Stopped", code: "InvalidInstanceType.ValueNotSupported", status: 403},
		{source: "ecs-api 2.10", name: "same type", action: "ModifyInstanceSpec", own: spec(values{"InstanceType": "ecs.g7.large"}), in: "Stopped", code: "InvalidInstanceType.ValueNotSupported", status: 403},
		{source: "ecs-api 2.10", name: "no path to ARM", action: "ModifyInstanceSpec", own: spec(values{"InstanceType": "ecs.g8y.large"}), in: "Stopped", code: "DependencyViolation.InstanceType", status: 400},
		{source: "ecs-api 2.10", name: "no path to local disks", action: "ModifyInstanceSpec", own: spec(values{"InstanceType": "ecs.i3.xlarge"}), in: "Stopped", code: "DependencyViolation.InstanceType", status: 400},
		{source: "ecs-api 2.10", name: "disk category", action: "ModifyInstanceSpec", own: spec(nil), launch: values{"InstanceType": "ecs.g6.large", "SystemDisk.Category": "cloud_ssd"}, in: "Stopped", code: "CategoryViolation", status: 403},
		{source: "ecs-api 5.3", name: "too many network interfaces", action: "ModifyInstanceSpec", own: spec(values{"InstanceType": "ecs.g6.large"}), launch: values{"NetworkInterface.1.InstanceType": "Secondary", "NetworkInterface.2.InstanceType": "Secondary"}, in: "Stopped", code: "MaxEniCountExceeded", status: 403},
		{source: "ecs-api 5.3", name: "too many disks", action: "ModifyInstanceSpec", own: spec(values{"InstanceType": "ecs.g7.large"}), launch: values{"InstanceType": "ecs.g7.2xlarge"}.with(dataDisks(9)), in: "Stopped", code: "InstanceDiskNumLimitExceed", status: 403},
		{source: "ecs-api 2.10", name: "out of stock", action: "ModifyInstanceSpec", own: spec(nil), in: "Stopped", before: soldOut, code: "OperationDenied.NoStock", status: 403},
		{source: "ecs-api 2.10", name: "subscription", action: "ModifyInstanceSpec", own: spec(nil), launch: prepaid, in: "Stopped", code: "ChargeTypeViolation", status: 403},
		{source: "ecs-api 2.10", name: "again at once", action: "ModifyInstanceSpec", own: spec(values{"InstanceType": "ecs.g7.2xlarge"}), in: "Stopped", before: calls("ModifyInstanceSpec", spec(nil)), code: "Throttling", status: 400},
		{source: "ecs-api 2.1", name: "token with other parameters", action: "ModifyInstanceSpec", own: spec(values{"InstanceType": "ecs.g7.2xlarge", "ClientToken": "t"}), in: "Stopped", before: calls("ModifyInstanceSpec", spec(values{"ClientToken": "t"})), code: "IdempotenceParamNotMatch", status: 400},
		{source: "ModifyInstanceSpec" + page, name: "bandwidth", action: "ModifyInstanceSpec", own: values{"InstanceId": "{id}", "InternetMaxBandwidthOut": "101"}, code: "InvalidInternetMaxBandwidthOut.Malformed", status: 400},
		{source: "ModifyInstanceSpec" + page, name: "bandwidth while starting", action: "ModifyInstanceSpec", own: values{"InstanceId": "{id}", "InternetMaxBandwidthOut": "5"}, in: "Starting", code: "IncorrectInstanceStatus", status: 403},
		{source: "ModifyInstanceSpec" + page, name: "going away", action: "ModifyInstanceSpec", own: spec(nil), in: "releasing", code: "IncorrectInstanceStatus", status: 403},
		{source: "ModifyInstanceSpec" + page, name: "dry run", action: "ModifyInstanceSpec", own: spec(values{"DryRun": "true"}), in: "Stopped", code: "DryRunOperation", status: 400},
		{source: "ecs-api 2.10", name: "pay as you go", action: "ModifyPrepayInstanceSpec", own: spec(nil), in: "Stopped", code: "ChargeTypeViolation", status: 403},
		{source: "ModifyPrepayInstanceSpec" + page, name: "operator", action: "ModifyPrepayInstanceSpec", own: spec(values{"OperatorType": "sideways"}), launch: prepaid, in: "Stopped", code: "InvalidParameter", status: 400},
		{source: "ModifyPrepayInstanceSpec" + page, name: "no type", action: "ModifyPrepayInstanceSpec", own: values{"InstanceId": "{id}"}, launch: prepaid, code: "MissingParameter", status: 400},
		{source: "ModifyPrepayInstanceSpec" + page, name: "running", action: "ModifyPrepayInstanceSpec", own: spec(nil), launch: prepaid, code: "InvalidInstanceStatus.NotStopped", status: 400},
		{source: "ecs-api 2.11", name: "too soon", action: "ModifyInstanceAutoReleaseTime", own: values{"InstanceId": "{id}", "AutoReleaseTime": time.Now().UTC().Add(20 * time.Minute).Format("2006-01-02T15:04:05Z")}, code: "InvalidAutoReleaseTime.Malformed", status: 400},
		{source: "ecs-api 2.11", name: "too late", action: "ModifyInstanceAutoReleaseTime", own: values{"InstanceId": "{id}", "AutoReleaseTime": time.Now().UTC().AddDate(3, 1, 0).Format("2006-01-02T15:04:05Z")}, code: "InvalidAutoReleaseTime.Malformed", status: 400},
		{source: "ecs-api 1.11", name: "no seconds", action: "ModifyInstanceAutoReleaseTime", own: values{"InstanceId": "{id}", "AutoReleaseTime": "2030-01-01T00:00Z"}, code: "InvalidAutoReleaseTime.Malformed", status: 400},
		{source: "ecs-api 2.11", name: "subscription", action: "ModifyInstanceAutoReleaseTime", own: values{"InstanceId": "{id}"}, launch: prepaid, code: "ChargeTypeViolation", status: 403},
		{source: "ecs-api 2.11", name: "absent", action: "ModifyInstanceAutoReleaseTime", own: values{"InstanceId": "i-none"}, code: "InvalidInstanceId.NotFound", status: 404},
		{source: "ModifyInstanceAutoReleaseTime" + page, name: "going away", action: "ModifyInstanceAutoReleaseTime", own: values{"InstanceId": "{id}"}, in: "releasing", code: "IncorrectInstanceStatus", status: 403},
		{source: "ModifyInstanceChargeType" + page, name: "absent", action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["i-none"]`, "Period": "1"}, code: "InvalidInstanceId.NotFound", status: 404},
		{source: "ModifyInstanceChargeType" + page, name: "too many", action: "ModifyInstanceChargeType", own: values{"InstanceIds": jsonIDs(21), "Period": "1"}, code: "InvalidInstanceIds.Malformed", status: 400},
		{source: "ModifyInstanceChargeType" + page, name: "no ids", action: "ModifyInstanceChargeType", own: values{"Period": "1"}, code: "MissingParameter", status: 400},
		{source: "ModifyInstanceChargeType" + page, name: "kind", action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["{id}"]`, "InstanceChargeType": "Barter"}, code: "InvalidInstanceChargeType.NotFound", status: 404},
		{source: "ModifyInstanceChargeType" + page, name: "period", action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["{id}"]`, "Period": "11"}, code: "InvalidPeriod", status: 400},
		{source: "ModifyInstanceChargeType" + page, name: "unit", action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["{id}"]`, "Period": "1", "PeriodUnit": "Moon"}, code: "InvalidPeriodType.ValueNotSupported", status: 400},
		{source: "ModifyInstanceChargeType" + page, name: "spot", action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["{id}"]`, "Period": "1"}, launch: values{"SpotStrategy": "SpotAsPriceGo"}, code: "ChargeTypeViolation", status: 403},
		{source: "ModifyInstanceChargeType" + page, name: "what it is", action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["{id}"]`, "InstanceChargeType": "PostPaid"}, code: "ChargeTypeViolation", status: 403},
		{source: "ModifyInstanceChargeType" + page, name: "stopping", action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["{id}"]`, "Period": "1"}, in: "Stopping", code: "IncorrectInstanceStatus", status: 403},
		{source: "ModifyInstanceChargeType" + page, name: "dry run", action: "ModifyInstanceChargeType", own: values{"InstanceIds": `["{id}"]`, "Period": "1", "DryRun": "true"}, code: "DryRunOperation", status: 400},
	}
}

func dataDisks(count int) values {
	disks := values{}
	for n := range count {
		disks[fmt.Sprintf("DataDisk.%d.Size", n+1)] = "20"
	}
	return disks
}
