package ecs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func repeated(query map[string][]string, name string) []string {
	var values []string
	for number := 1; ; number++ {
		value, found := query[fmt.Sprintf("%s.%d", name, number)]
		if !found {
			return values
		}
		values = append(values, value...)
	}
}

func TestALaunchThatCannotBeRightIsNotSent(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { launched(w, "i-1") })
	client := clientOf(t, s)
	for name, test := range map[string]struct {
		change func(*RunInstancesInput)
		want   string
	}{
		"no token":             {func(i *RunInstancesInput) { i.ClientToken = "" }, "client token"},
		"long token":           {func(i *RunInstancesInput) { i.ClientToken = strings.Repeat("a", 65) }, "64"},
		"token beyond ASCII":   {func(i *RunInstancesInput) { i.ClientToken = "tökén" }, "ASCII"},
		"no type":              {func(i *RunInstancesInput) { i.InstanceType = "" }, "instance type"},
		"no image":             {func(i *RunInstancesInput) { i.ImageID = "" }, "image"},
		"image and family":     {func(i *RunInstancesInput) { i.ImageFamily = "f" }, "image"},
		"no vSwitch":           {func(i *RunInstancesInput) { i.VSwitchID = "" }, "vSwitch"},
		"no group":             {func(i *RunInstancesInput) { i.SecurityGroupIDs = nil }, "security group"},
		"too much user data":   {func(i *RunInstancesInput) { i.UserData = strings.Repeat("x", 32<<10+1) }, "user data"},
		"too many tags":        {func(i *RunInstancesInput) { i.Tags = manyTags(21) }, "21 tags"},
		"region that is a URL": {func(i *RunInstancesInput) { i.Region = "https://x" }, "region"},
	} {
		input := launchInput()
		test.change(&input)
		_, err := client.RunInstances(soon(t), input)
		if ClassOf(err) != ClassConfiguration || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if count := s.count("RunInstances"); count != 0 {
		t.Errorf("%d calls", count)
	}
}

func manyTags(count int) map[string]string {
	tags := map[string]string{}
	for number := range count {
		tags[fmt.Sprintf("k%02d", number)] = fmt.Sprint(number)
	}
	return tags
}

func TestALaunchTravelsWithAllThatItSays(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { launched(w, "i-1") })
	input := launchInput()
	input.Region, input.Zone, input.HostName, input.KeyPairName, input.RAMRoleName = "cn-beijing", "cn-beijing-a", "host", "key", "role"
	input.SystemDisk = Disk{Category: "cloud_essd", SizeGiB: 40, PerformanceLevel: "PL1"}
	input.SpotStrategy, input.UserData = "SpotAsPriceGo", "hello, wörld"
	input.SecurityGroupIDs = []string{"sg-1", "sg-2"}
	output, err := clientOf(t, s).RunInstances(soon(t), input)
	if err != nil || output.RequestID != "req-run" || output.Attempts != 1 || output.LostAnswers != 0 {
		t.Fatalf("%+v %v", output, err)
	}
	got := s.of("RunInstances")[0].query
	for name, want := range map[string]string{
		"Version": "2014-05-26", "RegionId": "cn-beijing", "ZoneId": "cn-beijing-a", "InstanceType": "ecs.g7.large", "ImageId": "img-1",
		"VSwitchId": "vsw-a", "SecurityGroupIds.1": "sg-1", "SecurityGroupIds.2": "sg-2", "InstanceName": "worker-a", "HostName": "host",
		"KeyPairName": "key", "RamRoleName": "role", "SystemDisk.Category": "cloud_essd", "SystemDisk.Size": "40",
		"SystemDisk.PerformanceLevel": "PL1", "SpotStrategy": "SpotAsPriceGo", "Amount": "1", "InstanceChargeType": "PostPaid",
		"Tag.1.Key": "a", "Tag.1.Value": "1", "Tag.2.Key": "b", "Tag.2.Value": "2", "ClientToken": "token-1", "UserData": "aGVsbG8sIHfDtnJsZA==",
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
	if text := fmt.Sprintf("%v %+v %#v", input, input, &input); strings.Contains(text, "hello") {
		t.Errorf("%q shows the user data", text)
	}
}

func TestADeletionRefusedForOneInstanceStillDeletesTheOthers(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		ids := repeated(r.URL.Query(), "InstanceId")
		switch {
		case slices.Contains(ids, "i-protected"):
			refuse(w, 403, "InvalidOperation.DeletionProtection", "protected")
		case slices.Contains(ids, "i-gone"):
			refuse(w, 404, "InvalidInstanceIds.NotFound", "gone")
		default:
			accept(w)
		}
	})
	client := clientOf(t, s)
	err := client.DeleteInstances(soon(t), "", []string{"i-1", "i-gone", "i-protected", "i-2"})
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != "InvalidOperation.DeletionProtection" {
		t.Errorf("%v", err)
	}
	var alone []string
	for _, request := range s.of("DeleteInstances") {
		if ids := repeated(request.query, "InstanceId"); len(ids) == 1 {
			alone = append(alone, ids...)
		}
		if request.query.Get("Force") != "true" || request.query.Has("DryRun") {
			t.Errorf("%v", request.query)
		}
	}
	if !slices.Equal(alone, []string{"i-1", "i-gone", "i-protected", "i-2"}) || s.count("DeleteInstances") != 7 {
		t.Errorf("deleted alone: %v, in %d calls", alone, s.count("DeleteInstances"))
	}
	if err := client.DeleteInstances(soon(t), "", []string{"i-gone"}); err != nil {
		t.Errorf("gone is done: %v", err)
	}
	if err := client.DeleteInstances(soon(t), "", nil); err != nil {
		t.Errorf("nothing to delete: %v", err)
	}
}

func TestADeniedDeletionIsNotRepeatedForEachInstance(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { refuse(w, 403, "Forbidden.RAM", "no") })
	err := clientOf(t, s).DeleteInstances(soon(t), "", instanceIDs(0, 5))
	if ClassOf(err) != ClassPermission || s.count("DeleteInstances") != 1 {
		t.Errorf("%d calls: %v", s.count("DeleteInstances"), err)
	}
}

func TestProveReleased(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status    int
		code      string
		released  bool
		wantError bool
	}{
		"not found":                      {404, "InvalidInstanceId.NotFound", true, false},
		"not found, plural":              {404, "InvalidInstanceIds.NotFound", true, false},
		"dry run passed":                 {400, "DryRunOperation", false, false},
		"dry run passed, other spelling": {400, "DRYRUN.SUCCESS", false, false},
		"running":                        {403, "IncorrectInstanceStatus", false, false},
		"just created":                   {403, "IncorrectInstanceStatus.Initializing", false, false},
		"protected":                      {403, "InvalidOperation.DeletionProtection", false, false},
		"subscription":                   {403, "ChargeTypeViolation", false, false},
		"no permission":                  {403, "Forbidden.RAM", false, true},
		"another 404":                    {404, "InvalidRegionId.NotFound", false, true},
		"refused request":                {400, "InvalidParameter", false, true},
		"not a dry run":                  {200, "", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
				if r.URL.Query().Get("DryRun") != "true" || r.URL.Query().Has("Force") {
					t.Error("a real deletion")
				}
				if test.code == "" {
					accept(w)
					return
				}
				refuse(w, test.status, test.code, "as it is")
			})
			released, err := clientOf(t, s).ProveReleased(soon(t), "", "i-1")
			if released != test.released || (err != nil) != test.wantError {
				t.Errorf("%v %v", released, err)
			}
		})
	}
}

func TestProvingEndsWithoutAWordWhenCanceled(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		refuse(w, 503, "ServiceUnavailable", "later")
	})
	ctx, cancel := context.WithCancel(soon(t))
	client := clientOf(t, s, func(config *Config) { config.Clock = cancelingClock{newSkippingClock(), cancel} })
	if released, err := client.ProveReleased(ctx, "", "i-1"); released || !errors.Is(err, context.Canceled) {
		t.Errorf("%v %v", released, err)
	}
}

func TestPowerChangesTravelAloneOrTogether(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	client := clientOf(t, s)
	steps := []func() error{
		func() error { return client.StartInstances(soon(t), "", []string{"i-1", "i-1"}) },
		func() error { return client.StartInstances(soon(t), "", instanceIDs(0, 101)) },
		func() error {
			return client.StopInstances(soon(t), "", []string{"i-1"}, StopOptions{Force: true, StoppedMode: "StopCharging"})
		},
		func() error { return client.StopInstances(soon(t), "", []string{"i-1", "i-2"}, StopOptions{}) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if one, many := s.count("StartInstance"), s.count("StartInstances"); one != 2 || many != 1 {
		t.Errorf("%d single starts, %d batches", one, many)
	}
	stop := s.of("StopInstance")[0].query
	if stop.Get("ForceStop") != "true" || stop.Get("StoppedMode") != "StopCharging" || stop.Get("InstanceId") != "i-1" {
		t.Errorf("%v", stop)
	}
	if batch := s.of("StopInstances")[0].query; batch.Has("ForceStop") || batch.Get("InstanceId.2") != "i-2" {
		t.Errorf("%v", batch)
	}
}

func TestTagsTravelFiftyInstancesACall(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	client := clientOf(t, s)
	ids := instanceIDs(0, 120)
	if err := client.TagInstances(soon(t), "", ids, map[string]string{"b": "2", "a": ""}); err != nil {
		t.Fatal(err)
	}
	if err := client.UntagInstances(soon(t), "", ids[:51], []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if tagged, untagged := s.count("TagResources"), s.count("UntagResources"); tagged != 3 || untagged != 2 {
		t.Errorf("%d and %d calls", tagged, untagged)
	}
	first := s.of("TagResources")[0].query
	if first.Get("ResourceType") != "instance" || first.Get("Tag.1.Key") != "a" || first.Get("Tag.2.Value") != "2" || len(repeated(first, "ResourceId")) != 50 {
		t.Errorf("%v", first)
	}
	for name, change := range map[string]func() error{
		"too many tags": func() error { return client.TagInstances(soon(t), "", ids, manyTags(21)) },
		"empty key":     func() error { return client.TagInstances(soon(t), "", ids, map[string]string{"": "x"}) },
		"too many keys": func() error { return client.UntagInstances(soon(t), "", ids, instanceIDs(0, 21)) },
		"bad ID":        func() error { return client.UntagInstances(soon(t), "", []string{""}, []string{"a"}) },
	} {
		if err := change(); ClassOf(err) != ClassConfiguration {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without tags there is nothing to do; without keys, UntagResources could mean all.
	if err := errors.Join(client.TagInstances(soon(t), "", ids, nil), client.UntagInstances(soon(t), "", ids, nil)); err != nil {
		t.Error(err)
	}
	if total := s.count("TagResources") + s.count("UntagResources"); total != 5 {
		t.Errorf("%d calls in all", total)
	}
}

func TestTypesAreAskedForTenACall(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		types := []any{}
		for _, id := range repeated(r.URL.Query(), "InstanceTypes") {
			types = append(types, map[string]any{"InstanceTypeId": id, "CpuCoreCount": 4, "MemorySize": "16.0", "CpuArchitecture": "X86", "GPUAmount": "1", "GPUSpec": "T4"})
		}
		reply(w, 200, map[string]any{"RequestId": "r", "InstanceTypes": map[string]any{"InstanceType": types}})
	})
	types, err := clientOf(t, s).InstanceTypes(soon(t), "", instanceIDs(0, 25))
	if err != nil || len(types) != 25 || s.count("DescribeInstanceTypes") != 3 {
		t.Fatalf("%d types, %d calls: %v", len(types), s.count("DescribeInstanceTypes"), err)
	}
	if got, want := types[0], (InstanceType{ID: "i-0000", CPUArchitecture: "X86", VCPUs: 4, MemoryGiB: 16, GPUs: 1, GPUModel: "T4"}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestAVSwitchIsNeverTakenForAnother(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 200, map[string]any{"RequestId": "r", "VSwitches": map[string]any{"VSwitch": []any{map[string]any{"VSwitchId": "vsw-other", "ZoneId": "z"}}}})
	})
	if found, err := clientOf(t, s).VSwitches(soon(t), "", []string{"vsw-a"}); err != nil || len(found) != 0 {
		t.Errorf("%v %v", found, err)
	}
}

func TestFamilyWithoutImageIsNoError(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 200, map[string]any{"RequestId": "r", "Image": map[string]any{}})
	})
	if image, found, err := clientOf(t, s).ImageFromFamily(soon(t), "", "none"); err != nil || found {
		t.Errorf("%v %v %v", image, found, err)
	}
}

func TestMissingFieldsOfAnAnswerAreZero(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, action string, _ int) {
		body := map[string]any{"RequestId": "r"}
		if action == "DescribeInstances" {
			body["Instances"] = map[string]any{"Instance": []any{map[string]any{"InstanceId": "i-1", "Tags": nil, "VpcAttributes": nil}}}
		}
		reply(w, 200, body)
	})
	client, ctx := clientOf(t, s), soon(t)
	found, err := client.InstancesByID(ctx, "", []string{"i-1"})
	if err != nil || found["i-1"].ID != "i-1" || found["i-1"].Tags == nil {
		t.Errorf("%+v %v", found, err)
	}
	for name, look := range map[string]func() (int, error){
		"types":  func() (int, error) { got, err := client.InstanceTypes(ctx, "", nil); return len(got), err },
		"stock":  func() (int, error) { got, err := client.AvailableTypes(ctx, StockQuery{}); return len(got), err },
		"images": func() (int, error) { got, err := client.Images(ctx, "", []string{"img.vhd"}); return len(got), err },
		"groups": func() (int, error) {
			got, err := client.SecurityGroups(ctx, "", []string{"sg-1"})
			return len(got), err
		},
		"zones": func() (int, error) { got, err := client.Zones(ctx, ""); return len(got), err },
		"regions": func() (int, error) {
			got, err := client.Regions(ctx)
			return len(got), err
		},
		"switch": func() (int, error) { got, err := client.VSwitches(ctx, "", []string{"vsw-1"}); return len(got), err },
	} {
		if count, err := look(); err != nil || count != 0 {
			t.Errorf("%s: %d %v", name, count, err)
		}
	}
}
