package alicloud_test

import (
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func (b *bench) resolve(t testing.TB, edit func(map[string]any)) ([]v1alpha3.MachineClassOffering, error) {
	t.Helper()

	capacity, ok := b.cloud.Registration().Capacity()
	if !ok {
		t.Fatal("no capacity is registered")
	}

	resolution, err := capacity.ResolveClass(t.Context(), machineops.ClassRequest{
		ClassName: "worker", ClassUID: "class-uid", ProviderConfig: class(t, edit), Auth: b.auth(),
	})

	return resolution.Offerings, err
}

// catalogue returns the emulator's, changed by edit.
func catalogue(t testing.TB, edit func(*ecsemulator.Catalogue)) *ecsemulator.Catalogue {
	t.Helper()

	c, err := ecsemulator.DefaultCatalogue()
	if err != nil {
		t.Fatal(err)
	}

	edit(c)

	return c
}

func TestOfferingsFollowTheListsTypeByType(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	if err := b.SetStock(ecsemulator.Stock{InstanceType: "ecs.g7.xlarge", ChargeMode: "Spot", Zone: "cn-hangzhou-i", StatusCategory: "WithoutStock"}); err != nil {
		t.Fatal(err)
	}

	var offerings []v1alpha3.MachineClassOffering

	counts := b.counted(func() {
		var err error
		offerings, err = b.resolve(t, func(c map[string]any) {
			c["instance_types"] = []string{"ecs.g7.xlarge", "ecs.gn6v-c8g1.2xlarge"}
			c["capacity_types"] = []string{"spot", "on_demand"}
			c["vswitch_ids"] = []string{"vsw-b", "vsw-c"}
		})
		if err != nil {
			t.Fatal(err)
		}
	})

	wantCounts(t, counts, map[string]int{
		"DescribeVSwitches": 2, "DescribeSecurityGroups": 1, "DescribeImages": 1, "DescribeInstanceTypes": 1, "DescribeAvailableResource": 2,
	})

	var ids []string

	for _, o := range offerings {
		ids = append(ids, o.ID+" "+string(o.Availability))
	}

	// The second type is not sold in the zone of vsw-c.
	want := []string{
		"ecs.g7.xlarge/vsw-b/spot SoldOut", "ecs.g7.xlarge/vsw-c/spot Available",
		"ecs.g7.xlarge/vsw-b/on_demand Available", "ecs.g7.xlarge/vsw-c/on_demand Available",
		"ecs.gn6v-c8g1.2xlarge/vsw-b/spot Available", "ecs.gn6v-c8g1.2xlarge/vsw-b/on_demand Available",
	}
	if !slices.Equal(ids, want) {
		t.Errorf("the offerings are %q, want %q", ids, want)
	}

	gpu := offerings[4].Resources["gpu"]
	if gpu.Value() != 1 || offerings[4].Architecture != "amd64" || offerings[4].Zone != "cn-hangzhou-i" {
		t.Errorf("the offering is %+v", offerings[4])
	}
}

func TestWrongClassIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()

	options := settled()
	options.Catalogue = catalogue(t, func(c *ecsemulator.Catalogue) {
		young := c.Images[slices.IndexFunc(c.Images, func(i ecsemulator.Image) bool { return i.ID == "m-acme2" })]
		young.ID, young.Status = "m-young", "Creating"
		c.Images = append(c.Images, young)
	})
	b := newBench(t, options)

	for name, wrong := range map[string]struct {
		edit  func(map[string]any)
		texts []string
	}{
		"region":                         {func(c map[string]any) { c["region"] = "cn-nowhere" }, []string{"region", "cn-nowhere"}},
		"vSwitch":                        {func(c map[string]any) { c["vswitch_ids"] = []string{"vsw-none"} }, []string{"vswitch_ids", "vsw-none", region}},
		"vSwitch elsewhere":              {func(c map[string]any) { c["vswitch_ids"] = []string{"vsw-uf6a1b2c3d4e5f6g7h8i9"} }, []string{"vswitch_ids", region}},
		"two VPCs":                       {func(c map[string]any) { c["vswitch_ids"] = []string{"vsw-a", "vsw-other"} }, []string{"vsw-a", "vpc-1", "vsw-other", "vpc-2"}},
		"group":                          {func(c map[string]any) { c["security_group_ids"] = []string{"sg-none"} }, []string{"security_group_ids", "sg-none"}},
		"group of other VPC":             {func(c map[string]any) { c["security_group_ids"] = []string{"sg-other"} }, []string{"sg-other", "vpc-2", "vpc-1"}},
		"image":                          {func(c map[string]any) { c["image_id"] = "m-none" }, []string{"image_id", "m-none"}},
		"image family":                   {func(c map[string]any) { delete(c, "image_id"); c["image_family"] = "none" }, []string{"image_family", "none"}},
		"image in the making":            {func(c map[string]any) { c["image_id"] = "m-young" }, []string{"image_id", "m-young is Creating"}},
		"agent in an image of one's own": {func(c map[string]any) { c["security_enhancement"] = true }, []string{"security_enhancement", "m-acme2 is not a public one"}},
		"type":                           {func(c map[string]any) { c["instance_types"] = []string{"ecs.none"} }, []string{"instance_types", "ecs.none"}},
		"architecture":                   {func(c map[string]any) { c["instance_types"] = []string{"ecs.g8y.large"} }, []string{"ecs.g8y.large", "arm64", "m-acme2", "amd64"}},
		"zone of the type": {func(c map[string]any) {
			c["instance_types"], c["vswitch_ids"] = []string{"ecs.gn6v-c8g1.2xlarge"}, []string{"vsw-c"}
		}, []string{"ecs.gn6v-c8g1.2xlarge", "cn-hangzhou-k", "on_demand"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.resolve(t, wrong.edit)
			wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, wrong.texts...)
		})
	}
}

func TestClassThatCannotBeLookedUpIsNotCalledWrong(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for _, action := range []string{"DescribeVSwitches", "DescribeSecurityGroups", "DescribeImages", "DescribeInstanceTypes", "DescribeAvailableResource"} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: action})

		_, err := b.resolve(t, nil)
		wantPermanent(t, err, v1alpha3.ReasonPermissionDenied, action, "Forbidden.RAM")

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVSwitchThatIsBeingMadeIsWaitedFor(t *testing.T) {
	t.Parallel()

	options := settled()
	options.Catalogue = catalogue(t, func(c *ecsemulator.Catalogue) { c.Regions[0].VPCs[0].VSwitches[1].Status = "Pending" })
	b := newBench(t, options)

	_, err := b.resolve(t, func(c map[string]any) { c["vswitch_ids"] = []string{"vsw-a", "vsw-b"} })
	wantRetried(t, err, "vsw-b", "Pending")
}

func TestPlanAllocationMakesNoCall(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	capacity, ok := b.cloud.Registration().Capacity()
	if !ok {
		t.Fatal("no capacity is registered")
	}

	// The network is cut: nothing listens where the API was.
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}

	request := machineops.AllocationPlanRequest{
		AllocationName: "worker-a", AllocationUID: "uid-a", ProviderConfig: class(t, nil), Offering: offering(),
	}

	first, err := capacity.PlanAllocation(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}

	if second, err := capacity.PlanAllocation(t.Context(), request); err != nil || second != first {
		t.Errorf("first was %+v, then %+v, %v", first, second, err)
	}

	if first.ProviderID != region+"/uid-a" || first.HostImage != "m-acme2" {
		t.Errorf("the plan is %+v", first)
	}

	family := request
	family.ProviderConfig = class(t, func(c map[string]any) { delete(c, "image_id"); c["image_family"] = "acme-node" })

	if plan, err := capacity.PlanAllocation(t.Context(), family); err != nil || plan.HostImage != "acme-node" {
		t.Errorf("the plan is %+v, %v", plan, err)
	}
}

func TestWhatCanNeverBeLaunchedCannotBePlanned(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	capacity, ok := b.cloud.Registration().Capacity()
	if !ok {
		t.Fatal("no capacity is registered")
	}

	for name, wrong := range map[string]func(*machineops.AllocationPlanRequest){
		"no UID":    func(r *machineops.AllocationPlanRequest) { r.AllocationUID = "" },
		"name":      func(r *machineops.AllocationPlanRequest) { r.AllocationName = "7" },
		"host name": func(r *machineops.AllocationPlanRequest) { r.HostName = "-" },
		"class":     func(r *machineops.AllocationPlanRequest) { r.ProviderConfig.Data = nil },
	} {
		request := machineops.AllocationPlanRequest{AllocationName: "worker-a", AllocationUID: "uid", ProviderConfig: class(t, nil)}
		wrong(&request)

		_, err := capacity.PlanAllocation(t.Context(), request)
		wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration)

		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// A deprecated image is left out of its family, and can be named all the same.
func TestADeprecatedImageCanBeNamed(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	if offerings, err := b.resolve(t, set("image_id", "m-acme-deprecated")); err != nil || len(offerings) == 0 {
		t.Errorf("%d offerings, %v", len(offerings), err)
	}
}

func TestTheAgentGoesIntoPublicImages(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	for _, edit := range []func(map[string]any){
		all(set("image_id", "aliyun_3_x64_20G_alibase_20260215.vhd"), set("security_enhancement", true)), set("security_enhancement", false),
	} {
		if offerings, err := b.resolve(t, edit); err != nil || len(offerings) == 0 {
			t.Errorf("%d offerings, %v", len(offerings), err)
		}
	}
}
