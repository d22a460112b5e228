package alicloud_test

import (
	"maps"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func (b *bench) existing(t *testing.T, machine ecsemulator.NewInstance) string {
	t.Helper()

	added, err := b.AddInstance(machine)
	if err != nil {
		t.Fatal(err)
	}

	return added.RegionID + "." + added.ID
}

func TestManyMachinesAreLookedAtInOneCallAHundredAndRegion(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	var ids []string
	for range 150 {
		ids = append(ids, b.existing(t, ecsemulator.NewInstance{AgeSeconds: 60}))
	}

	far := b.existing(t, ecsemulator.NewInstance{RegionID: "cn-shanghai", AgeSeconds: 60})
	ids = append(ids, far, region+".i-bp1gone", ids[0])

	var seen map[string]*driver.ObservedMachine

	calls := b.counted(func() {
		var err error

		seen, err = b.cloud.Observer().ObserveMachines(t.Context(), &driver.ObserveMachinesRequest{ProviderIDs: ids, Secret: b.secret()})
		if err != nil {
			t.Fatal(err)
		}
	})

	if !maps.Equal(calls, map[string]int{"DescribeInstances": 3}) {
		t.Errorf("151 machines in two regions took the calls %v", calls)
	}

	if len(seen) != 151 || seen[far] == nil || seen[far].Region != "cn-shanghai" || seen[region+".i-bp1gone"] != nil {
		t.Errorf("%d machines were seen, and that of another region as %+v", len(seen), seen[far])
	}
}

func TestNoMachinesAreLookedAtWithoutACall(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	calls := b.counted(func() {
		if seen, err := b.cloud.Observer().ObserveMachines(t.Context(), &driver.ObserveMachinesRequest{Secret: b.secret()}); err != nil || len(seen) != 0 {
			t.Errorf("seen are %v: %v", seen, err)
		}
	})

	if len(calls) != 0 {
		t.Errorf("the calls are %v", calls)
	}
}

func TestALookAtManyRefusesWhatIsNoID(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, request := range map[string]*driver.ObserveMachinesRequest{
		"no request":     nil,
		"a bare ID":      {ProviderIDs: []string{"i-bp1abc"}},
		"one of several": {ProviderIDs: []string{region + ".i-bp1abc", "worker-a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := b.cloud.Observer().ObserveMachines(t.Context(), request)
			wantCode(t, err, driver.CodeInvalidArgument)
		})
	}

	if calls := b.Counts(); len(calls) != 0 {
		t.Errorf("the calls are %v", calls)
	}
}

func TestAllMachinesOfARegionAreListedFromEveryPage(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	wanted := map[string]bool{}

	for range 230 {
		wanted[b.existing(t, ecsemulator.NewInstance{AgeSeconds: 60})] = true
	}

	b.existing(t, ecsemulator.NewInstance{RegionID: "cn-shanghai", AgeSeconds: 60})

	calls := b.counted(func() {
		machines, err := b.cloud.Lister().ListAllMachines(t.Context(), &driver.ListAllMachinesRequest{Region: region, Secret: b.secret()})
		if err != nil {
			t.Fatal(err)
		}

		for _, machine := range machines {
			if !wanted[machine.ProviderID] {
				t.Errorf("%s was listed and is not there, or twice", machine.ProviderID)
			}

			delete(wanted, machine.ProviderID)
		}
	})

	if len(wanted) != 0 || !maps.Equal(calls, map[string]int{"DescribeInstances": 3}) {
		t.Errorf("%d machines were not listed, in the calls %v", len(wanted), calls)
	}
}

func TestAnEmptyListOfAllMachinesIsProven(t *testing.T) {
	t.Parallel()

	for _, denial := range []ecsemulator.Denial{"", ecsemulator.DenialEmpty, ecsemulator.DenialForbidden} {
		t.Run("denied as "+string(denial), func(t *testing.T) {
			t.Parallel()

			options := settled()
			options.Behavior.DeniedDescribe = denial
			b := newBench(t, options)

			if denial != "" {
				b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})
			}

			machines, err := b.cloud.Lister().ListAllMachines(t.Context(), &driver.ListAllMachinesRequest{Region: region, Secret: b.secret()})

			if denial == "" {
				if err != nil || len(machines) != 0 {
					t.Errorf("listed are %v: %v", machines, err)
				}

				return
			}

			wantCode(t, err, driver.CodePermissionDenied)
		})
	}
}

func TestAListOfAllMachinesNeedsARegion(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for _, request := range []*driver.ListAllMachinesRequest{nil, {}} {
		_, err := b.cloud.Lister().ListAllMachines(t.Context(), request)
		wantCode(t, err, driver.CodeInvalidArgument)
	}
}
