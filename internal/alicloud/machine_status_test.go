package alicloud_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestGetMachineStatusFindsTheMachine(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.createRequest(t, "worker-a")
	created := b.create(t, request)
	b.create(t, b.createRequest(t, "worker-b"))

	byState := b.statusRequest(t, "worker-a", "")
	byState.Machine.Status.LastKnownState = created.LastKnownState

	for name, asked := range map[string]*driver.GetMachineStatusRequest{
		"by provider ID":                b.statusRequest(t, "worker-a", created.ProviderID),
		"by an older form of ID":        b.statusRequest(t, "worker-a", "alicloud://"+created.ProviderID),
		"by a bare ID":                  b.statusRequest(t, "worker-a", strings.TrimPrefix(created.ProviderID, region+".")),
		"by what its creation answered": byState,
		"by name":                       b.statusRequest(t, "worker-a", ""),
	} {
		wantCounts(t, b.counted(func() {
			found, err := b.driver.GetMachineStatus(t.Context(), asked)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}

			if found.ProviderID != created.ProviderID || found.NodeName != created.NodeName {
				t.Errorf("%s: found was %+v, created %+v", name, found, created)
			}
		}), map[string]int{"DescribeInstances": 1})
	}
}

func TestMachineOfTheSameNameInAnotherClusterIsNotOurs(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	foreign := tagged("worker-a")
	delete(foreign, clusterTag)
	foreign["kubernetes.io/cluster/another"] = "1"
	b.add(t, ecsemulator.NewInstance{Name: "worker-a", Tags: foreign})

	wantCounts(t, b.counted(func() {
		_, err := b.driver.GetMachineStatus(t.Context(), b.statusRequest(t, "worker-a", ""))
		wantCode(t, err, driver.CodeNotFound, "worker-a", region)
	}), map[string]int{"DescribeInstances": 2})

	if _, err := b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", "")); err != nil {
		t.Error(err)
	}

	if len(b.alive()) != 1 {
		t.Error("the machine of another cluster was deleted")
	}
}

func TestMachineWhoseNameTagWasStrippedGoesByItsInstanceName(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	id := b.add(t, ecsemulator.NewInstance{Name: "worker-a", Tags: ownership()})

	found, err := b.driver.GetMachineStatus(t.Context(), b.statusRequest(t, "worker-a", ""))
	if err != nil || found.ProviderID != id.String() {
		t.Errorf("found was %+v, %v", found, err)
	}
}

func TestSeveralMachinesOfOneNameAreNamed(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	first := b.add(t, ecsemulator.NewInstance{Tags: tagged("worker-a")})
	second := b.add(t, ecsemulator.NewInstance{Tags: tagged("worker-a")})

	_, err := b.driver.GetMachineStatus(t.Context(), b.statusRequest(t, "worker-a", ""))
	wantCode(t, err, driver.CodeOutOfRange, first.String(), second.String())

	_, err = b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", ""))
	wantCode(t, err, driver.CodeOutOfRange, first.String(), second.String())

	if len(b.alive()) != 2 {
		t.Error("one of them was deleted")
	}
}

// Empty is not gone: what ECS answers to a caller without permission, to one who asks
// in the wrong region, and of a machine that is too young, is an empty list each time.
func TestEmptyAnswersAreToldApart(t *testing.T) {
	t.Parallel()

	for name, denial := range map[string]ecsemulator.Denial{"empty": ecsemulator.DenialEmpty, "forbidden": ecsemulator.DenialForbidden} {
		t.Run("denied, answered "+name, func(t *testing.T) {
			t.Parallel()

			options := settled()
			options.Behavior.DeniedDescribe = denial
			b := newBench(t, options)
			created := b.create(t, b.createRequest(t, "worker-a"))
			b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})

			for _, known := range []string{created.ProviderID, ""} {
				_, err := b.driver.GetMachineStatus(t.Context(), b.statusRequest(t, "worker-a", known))
				wantCode(t, err, driver.CodePermissionDenied)

				_, err = b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", known))
				wantCode(t, err, driver.CodePermissionDenied)
			}

			_, err := b.driver.ListMachines(t.Context(), &driver.ListMachinesRequest{MachineClass: machineClass(t, nil), Secret: b.secret()})
			wantCode(t, err, driver.CodePermissionDenied)

			if len(b.alive()) != 1 {
				t.Error("a machine was deleted that could not be seen")
			}
		})
	}

	t.Run("too young to be listed", func(t *testing.T) {
		t.Parallel()

		options := settled()
		options.NewVisibilityDelay = 20 * time.Second
		b := newBench(t, options)
		created := b.create(t, b.createRequest(t, "worker-a"))

		_, err := b.driver.GetMachineStatus(t.Context(), b.statusRequest(t, "worker-a", created.ProviderID))
		wantCode(t, err, driver.CodeUnavailable, created.ProviderID)

		_, err = b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", created.ProviderID))
		wantCode(t, err, driver.CodeUnavailable, created.ProviderID)

		b.step(t, 30*time.Second)

		if _, err = b.driver.GetMachineStatus(t.Context(), b.statusRequest(t, "worker-a", created.ProviderID)); err != nil {
			t.Error(err)
		}
	})

	t.Run("in another region than the class", func(t *testing.T) {
		t.Parallel()

		b := newBench(t, settled())
		created := b.create(t, b.createRequest(t, "worker-a"))
		elsewhere := strings.Replace(created.ProviderID, region, "cn-shanghai", 1)

		wantCounts(t, b.counted(func() {
			_, err := b.driver.GetMachineStatus(t.Context(), b.statusRequest(t, "worker-a", elsewhere))
			wantCode(t, err, driver.CodeInvalidArgument, "cn-shanghai", region)

			_, err = b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", elsewhere))
			wantCode(t, err, driver.CodeInvalidArgument, "cn-shanghai", region)
		}), map[string]int{})
	})

	t.Run("in a region that does not exist", func(t *testing.T) {
		t.Parallel()

		b := newBench(t, settled())
		request := b.statusRequest(t, "worker-a", "")
		request.MachineClass = machineClass(t, func(spec map[string]any) { spec["region"] = "cn-nowhere" })

		_, err := b.driver.GetMachineStatus(t.Context(), request)
		wantCode(t, err, driver.CodeInvalidArgument, "cn-nowhere", "InvalidRegionId")
	})

	t.Run("released", func(t *testing.T) {
		t.Parallel()

		b := newBench(t, settled())
		created := b.create(t, b.createRequest(t, "worker-a"))

		if err := b.RemoveInstance(b.alive()[0]); err != nil {
			t.Fatal(err)
		}

		wantCounts(t, b.counted(func() {
			_, err := b.driver.GetMachineStatus(t.Context(), b.statusRequest(t, "worker-a", created.ProviderID))
			wantCode(t, err, driver.CodeNotFound, region)
		}), map[string]int{"DescribeInstances": 2, "DeleteInstances": 1})
	})
}

func TestListMachinesListsAllPages(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	want := map[string]string{}

	for i := range 250 {
		name := fmt.Sprintf("worker-%03d", i)
		want[b.add(t, ecsemulator.NewInstance{Tags: tagged(name), VSwitchID: "vsw-b"}).String()] = name
	}

	b.add(t, ecsemulator.NewInstance{Name: "another", Tags: map[string]string{clusterTag: "1"}})

	wantCounts(t, b.counted(func() {
		listed, err := b.driver.ListMachines(t.Context(), &driver.ListMachinesRequest{MachineClass: machineClass(t, nil), Secret: b.secret()})
		if err != nil {
			t.Fatal(err)
		}

		if !maps.Equal(listed.MachineList, want) {
			t.Errorf("listed were %d machines, want %d", len(listed.MachineList), len(want))
		}
	}), map[string]int{"DescribeInstances": 3})
}

func TestEmptyListIsProvenToBeOne(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	wantCounts(t, b.counted(func() {
		listed, err := b.driver.ListMachines(t.Context(), &driver.ListMachinesRequest{MachineClass: machineClass(t, nil), Secret: b.secret()})
		if err != nil || len(listed.MachineList) != 0 {
			t.Errorf("listed were %v, %v", listed, err)
		}
	}), map[string]int{"DescribeInstances": 2})
}

func TestMoreMachinesThanATagFilterIsCorrectForAreListedByShard(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	const machines = 1100

	for i := range machines {
		name := fmt.Sprintf("worker-%04d", i)
		tags := tagged(name)
		tags[driver.ReservedTagPrefix+"shard"] = shardOf(name)
		b.add(t, ecsemulator.NewInstance{Tags: tags, VSwitchID: []string{"vsw-a", "vsw-b", "vsw-c"}[i%3]})
	}

	listed, err := b.driver.ListMachines(t.Context(), &driver.ListMachinesRequest{MachineClass: machineClass(t, nil), Secret: b.secret()})
	if err != nil {
		t.Fatal(err)
	}

	if len(listed.MachineList) != machines {
		t.Errorf("listed were %d machines, want %d", len(listed.MachineList), machines)
	}
}
