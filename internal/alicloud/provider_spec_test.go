package alicloud_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestEveryProblemOfAProviderSpecIsNamedWithItsField(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, wrong := range map[string]struct {
		edit func(map[string]any)
		want []string
	}{
		"image":         {func(s map[string]any) { delete(s, "imageID") }, []string{"imageID: it is not set"}},
		"instance type": {func(s map[string]any) { s["instanceType"] = "" }, []string{"instanceType: it is not set"}},
		"region":        {func(s map[string]any) { s["region"] = "Hangzhou!" }, []string{`region: "Hangzhou!" is malformed`}},
		"zone":          {func(s map[string]any) { s["zoneID"] = "zone h" }, []string{"zoneID: "}},
		"network": {
			func(s map[string]any) { delete(s, "vSwitchID"); delete(s, "securityGroupID") },
			[]string{"vSwitchID: it is not set", "securityGroupID: it is not set"},
		},
		"type of a value": {func(s map[string]any) { s["imageID"] = 7; s["tags"] = "none" }, []string{"imageID: it is a number, want string", "tags: it is a string"}},
		"unknown field":   {func(s map[string]any) { s["imageId"] = "m-acme2" }, []string{"imageId: there is no such field"}},
		"address":         {func(s map[string]any) { s["privateIPAddress"] = "10.0.0" }, []string{`privateIPAddress: "10.0.0" is not an IPv4 address`}},
		"system disk":     {func(s map[string]any) { s["systemDisk"] = []int{1} }, []string{"systemDisk: "}},
		"system disk fields": {func(s map[string]any) {
			s["systemDisk"] = map[string]any{"category": "floppy", "size": 4096, "speed": 1}
		}, []string{"systemDisk.speed: there is no such field"}},
		"system disk values": {
			func(s map[string]any) { s["systemDisk"] = map[string]any{"category": "floppy", "size": 4096} },
			[]string{`systemDisk.category: "floppy" is not one of cloud,`, "systemDisk.size: 4096"},
		},
		"data disks": {
			func(s map[string]any) {
				s["dataDisks"] = []any{
					map[string]any{"category": "cloud_essd", "size": 0, "name": "d"},
					map[string]any{"category": "elastic_ephemeral_disk_premium", "size": 64, "deleteWithInstance": false, "encrypted": true, "description": "x"},
				}
			},
			[]string{"dataDisks[0].size: 0", "dataDisks[0].name: ", "dataDisks[1].deleteWithInstance: "},
		},
		"data disk fields": {func(s map[string]any) { s["dataDisks"] = []any{map[string]any{"size": "40Gi"}} }, []string{"dataDisks[0].size: it is a string"}},
		"charge type":      {func(s map[string]any) { s["instanceChargeType"] = "Free" }, []string{`instanceChargeType: "Free" is not one of PostPaid`}},
		"subscription":     {func(s map[string]any) { s["instanceChargeType"] = "PrePaid" }, []string{"instanceChargeType: PrePaid is not supported"}},
		"spot strategy":    {func(s map[string]any) { s["spotStrategy"] = "Cheap" }, []string{`spotStrategy: "Cheap" is not one of NoSpot,`}},
		"internet": {
			func(s map[string]any) {
				s["internetChargeType"], s["internetMaxBandwidthIn"], s["internetMaxBandwidthOut"] = "PayLater", -1, 101
			},
			[]string{`internetChargeType: "PayLater"`, "internetMaxBandwidthIn: -1", "internetMaxBandwidthOut: 101"},
		},
		"I/O":       {func(s map[string]any) { s["IoOptimized"] = "yes" }, []string{`IoOptimized: "yes"`}},
		"ownership": {func(s map[string]any) { s["tags"] = map[string]any{"team": "a"} }, []string{"tags: there is none of the form kubernetes.io/cluster/", "tags: there is none of the form kubernetes.io/role/"}},
		"tags": {
			func(s map[string]any) {
				s["tags"] = map[string]any{clusterTag: "1", roleTag: "1", "aliyun-x": "", "acs:x": "", "u": "see http://x", strings.Repeat("k", 129): ""}
			},
			[]string{`"aliyun-x"`, `"acs:x"`, `the value of "u"`, "1 to 128"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := b.createRequest(t, "worker-a")
			request.MachineClass = machineClass(t, wrong.edit)

			wantCounts(t, b.counted(func() {
				_, err := b.driver.CreateMachine(t.Context(), request)
				wantCode(t, err, driver.CodeInvalidArgument, append(wrong.want, "worker-class")...)
			}), map[string]int{})
		})
	}
}

func TestProviderSpecHasToBeOneJSONObject(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for _, text := range []string{"", "  ", "null", "[]", `"x"`, "{", "{} {}", `{"region":"cn-hangzhou"} trailing`} {
		request := b.createRequest(t, "worker-a")
		request.MachineClass.ProviderSpec.Raw = []byte(text)

		_, err := b.driver.CreateMachine(t.Context(), request)
		wantCode(t, err, driver.CodeInvalidArgument, "provider spec")
	}
}

func TestSpotAndOptionalFieldsAreLeftToECS(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.createRequest(t, "worker-a")
	request.MachineClass = machineClass(t, func(s map[string]any) {
		for _, optional := range []string{"apiVersion", "zoneID", "systemDisk", "instanceChargeType", "internetChargeType", "keyPairName"} {
			delete(s, optional)
		}

		s["spotStrategy"], s["internetMaxBandwidthOut"], s["dataDisks"], s["privateIPAddress"] = "SpotAsPriceGo", 0, []any{}, nil
	})

	b.create(t, request)

	if charged := b.instance(t, b.alive()[0]).ChargeMode; charged != "Spot" {
		t.Errorf("it is charged as %s", charged)
	}
}

func TestAddressDisksAndBandwidthReachTheLaunch(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	address := b.instance(t, b.add(t, ecsemulator.NewInstance{}).ResourceID).PrivateAddress
	wanted := netip.MustParseAddr(address).Next().Next().Next().String()
	request := b.createRequest(t, "worker-a")
	request.MachineClass = machineClass(t, func(s map[string]any) {
		s["privateIPAddress"], s["internetMaxBandwidthIn"], s["internetMaxBandwidthOut"] = wanted, 10, 5
		s["dataDisks"] = []any{
			map[string]any{"name": "data-1", "category": "cloud_essd", "size": 40, "encrypted": true, "deleteWithInstance": false},
			map[string]any{"name": "data-2", "size": 50},
		}
	})

	created := b.create(t, request)
	id := strings.TrimPrefix(created.ProviderID, region+".")

	if instance := b.instance(t, id); instance.PrivateAddress != wanted || len(instance.DiskIDs) != 3 {
		t.Errorf("launched was %+v", instance)
	}

	observed, err := b.observe(t, created.ProviderID)
	if err != nil || observed.PublicIP == "" {
		t.Errorf("observed was %+v, %v", observed, err)
	}

	for _, call := range b.Calls() {
		if call.Action != "RunInstances" {
			continue
		}

		for parameter, want := range map[string]string{
			"DataDisk.1.DeleteWithInstance": "false", "DataDisk.1.Encrypted": "true", "DataDisk.1.Size": "40", "DataDisk.2.DiskName": "data-2",
			"InternetMaxBandwidthIn": "10", "InternetMaxBandwidthOut": "5", "InternetChargeType": "PayByTraffic",
		} {
			if got := call.Parameters[parameter]; got != want {
				t.Errorf("%s is %q, want %q", parameter, got, want)
			}
		}
	}
}
