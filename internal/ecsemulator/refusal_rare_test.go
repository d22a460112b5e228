package ecsemulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// rareCatalogue has what the built-in one does not: an image that is not available, a vSwitch that is being made, many groups.
func rareCatalogue(t *testing.T) *ecsemulator.Catalogue {
	t.Helper()
	catalogue, err := ecsemulator.DefaultCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range catalogue.Images {
		if image.ID == "m-acme1" {
			image.ID, image.Status, image.Family = "m-broken", "CreateFailed", ""
			catalogue.Images = append(catalogue.Images, image)
			break
		}
	}
	vpc := &catalogue.Regions[0].VPCs[0]
	pending := vpc.VSwitches[0]
	pending.ID, pending.CIDR, pending.Status = "vsw-pending", "10.250.0.0/24", "Pending"
	vpc.VSwitches = append(vpc.VSwitches, pending)
	for n := range 17 {
		vpc.SecurityGroups = append(vpc.SecurityGroups, ecsemulator.SecurityGroup{ID: fmt.Sprintf("sg-many-%d", n+1), Name: "many", Type: "normal"})
	}
	return catalogue
}

func launchRefusals() []refusalRow {
	run := func(more values) values { return launch().with(more) }
	return []refusalRow{
		{source: "ecs-api 2.1", name: "image that failed", action: "RunInstances", own: run(values{"ImageId": "m-broken"}), code: "OperationDenied.ImageNotValid", status: 403},
		{source: "ecs-api 5.2", name: "vSwitch that is being made", action: "RunInstances", own: run(values{"VSwitchId": "vsw-pending"}), code: "IncorrectVSwitchStatus", status: 400},
		{source: "RunInstances" + page, name: "device", action: "RunInstances", own: run(values{"DataDisk.1.Size": "20", "DataDisk.1.Device": "C:"}), code: "InvalidDataDevice.Malformed", status: 400},
		{source: "ecs-api 5.4", name: "key that is not there", action: "RunInstances", own: run(values{"SystemDisk.Encrypted": "true", "SystemDisk.KMSKeyId": "key-none"}), code: "InvalidParameter.KMSKeyId.NotFound", status: 404},
		{source: "RunInstances" + page, name: "snapshot", action: "RunInstances", own: run(values{"DataDisk.1.Size": "20", "DataDisk.1.SnapshotId": "s-none"}), code: "InvalidSnapshotId.NotFound", status: 400},
		{source: "RunInstances" + page, name: "size that is no number", action: "RunInstances", own: run(values{"SystemDisk.Size": "big"}), code: "InvalidSystemDiskSize", status: 404},
		{source: "ecs-api 2.8", name: "image that failed", action: "ReplaceSystemDisk", own: values{"InstanceId": "{id}", "ImageId": "m-broken"}, in: "Stopped", code: "OperationDenied.ImageNotValid", status: 403},
	}
}

func membershipRefusals() []refusalRow {
	groups := values{"SecurityGroupId": "-"}
	for n := range 16 {
		groups[fmt.Sprintf("SecurityGroupIds.%d", n+1)] = fmt.Sprintf("sg-many-%d", n+1)
	}
	burstable := values{"InstanceType": "ecs.t6-c1m1.large", "SystemDisk.Category": "cloud_efficiency"}
	tags := values{}
	for n := range 21 {
		tags[fmt.Sprintf("Tag.%d.Key", n+1)] = fmt.Sprintf("k%d", n)
	}
	return []refusalRow{
		{source: "JoinSecurityGroup" + page, name: "one group more", action: "JoinSecurityGroup", own: values{"InstanceId": "{id}", "SecurityGroupId": "sg-many-17"}, launch: groups, code: "InstanceSecurityGroupLimitExceeded", status: 403},
		{source: "ecs-api 2.9", name: "credit of one that starts", action: "ModifyInstanceAttribute", own: values{"InstanceId": "{id}", "CreditSpecification": "Unlimited"}, launch: burstable, in: "Starting", code: "InvalidInstanceStatus.CreditSpecRestricted", status: 400},
		{source: "ecs-api 2.9", name: "data without cloud-init", action: "ModifyInstanceAttribute", own: values{"InstanceId": "{id}", "UserData": "aGk="}, launch: values{"ImageId": "m-acme-plain"}, code: "InvalidUserData.NotSupported", status: 400},
		{source: "DeleteInstances" + page, name: "empty id", action: "DeleteInstances", own: values{"InstanceId.1": ""}, code: "InvalidInstanceIds.ValueNotSupported", status: 403},
		{source: "DescribeInstances" + page, name: "21 tags", action: "DescribeInstances", own: tags, code: "InvalidTagCount", status: 400},
	}
}

func availabilityRefusals() []refusalRow {
	ask := func(more values) values { return values{"DestinationResource": "InstanceType"}.with(more) }
	row := func(name, value, code string) refusalRow {
		return refusalRow{source: "DescribeAvailableResource" + page, name: name, action: "DescribeAvailableResource", own: ask(values{name: value}), code: code, status: 404}
	}
	return []refusalRow{
		row("ZoneId", "mars-1a", "Invalid.ZoneId"),
		row("IoOptimized", "perhaps", "Invalid.IoOptimized"),
		row("ResourceType", "rocket", "Invalid.ResourceType"),
		row("NetworkCategory", "token-ring", "Invalid.NetworkCategory"),
		row("SpotStrategy", "SpotForFree", "Invalid.SpotStrategy"),
		row("InstanceChargeType", "Barter", "Invalid.InstanceChargeType"),
	}
}

// What needs a catalogue of its own, or is seldom met.
func TestActionsRefuseRareThings(t *testing.T) {
	t.Parallel()
	for _, rows := range [][]refusalRow{launchRefusals(), membershipRefusals(), availabilityRefusals()} {
		for _, row := range rows {
			t.Run(row.action+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				server := still(t, ecsemulator.Options{Catalogue: rareCatalogue(t)})
				c := newClient(t, server)
				names := namesOf(t, c, instanceIn(t, server, c, row.in, row.launch))
				journal := len(server.Journal())
				c.refused(row.action, row.own.filledIn(names), row.code, row.status)
				if len(server.Journal()) != journal {
					t.Errorf("a refused call had an effect (%s)", row.source)
				}
			})
		}
	}
}

func TestCodesOfOneInstanceAreToldWithinTheAnswer(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Catalogue: rolesCatalogue(t)})
	c := newClient(t, server)
	id := c.run(values{"RamRoleName": "acme-node-role"})
	answer := c.ok("AttachInstanceRamRole", values{"InstanceIds": `["` + id + `","i-none"]`, "RamRoleName": "other-role"})
	for n, want := range []string{"InvalidOperation.RamRoleAlreadyAttached", "InvalidInstanceId.NotFound"} {
		if !strings.Contains(fmt.Sprint(answer.at(t, "AttachInstanceRamRoleResults", "AttachInstanceRamRoleResult", n)), want) {
			t.Errorf("instance %d: %s", n, answer.body)
		}
	}
	windows := c.run(values{"ImageId": "win2022_21H2_x64_dtc_en-us_40G_alibase_20260114.vhd"})
	answer = c.ok("AttachKeyPair", values{"InstanceIds": `["` + windows + `"]`, "KeyPairName": "acme-key"})
	if code := answer.text(t, "Results", "Result", 0, "Code"); code != "DependencyViolation.WindowsInstance" {
		t.Errorf("a key pair for Windows: %s", answer.body)
	}
}
