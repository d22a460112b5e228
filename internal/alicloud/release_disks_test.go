package alicloud_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// launched launches a machine with the data disks, and returns it with the request for
// its release under the parameter, which may be empty.
func (b *bench) launched(t *testing.T, name, parameter string, disks ...object) (driver.ProviderID, machineops.OperationRequest) {
	t.Helper()

	allocate := b.allocation(t, name)
	allocate.Allocation.ProviderConfig = class(t, set("data_disks", disks))
	id, _ := b.launch(t, allocate)
	request := release(allocate, owned(id))

	if parameter != "" {
		request.Parameters[parameter] = "true"
	}

	return id, request
}

// dataDisks are the data disks that exist, by ID.
func (b *bench) dataDisks() map[string]ecsemulator.Disk {
	found := map[string]ecsemulator.Disk{}

	for _, disk := range b.Disks() {
		if !disk.System {
			found[disk.ID] = disk
		}
	}

	return found
}

func (b *bench) attach(t *testing.T, disk ecsemulator.NewDisk) ecsemulator.Disk {
	t.Helper()

	added, err := b.AddDisk(disk)
	if err != nil {
		t.Fatal(err)
	}

	return added
}

// wantDisks wants these data disks to exist, detached, and the message to name all that is
// told of.
func (b *bench) wantDisks(t *testing.T, message string, ids ...string) {
	t.Helper()

	left := b.dataDisks()
	if len(left) != len(ids) {
		t.Errorf("left are %v, want %v", left, ids)
	}

	for _, id := range ids {
		if left[id].Status != "Available" || !strings.Contains(message, id+" (") {
			t.Errorf("%s is %+v, and it is told: %s", id, left[id], message)
		}
	}
}

// begunWith begins a release, and wants it to make these calls.
func (b *bench) begunWith(t *testing.T, request machineops.OperationRequest, calls map[string]int) machineops.BeginResult {
	t.Helper()

	var begun machineops.BeginResult

	wantCounts(t, b.counted(func() {
		var err error
		if begun, err = b.begin(t.Context(), t, request); err != nil {
			t.Fatal(err)
		}
	}), calls)

	return begun
}

// scriptedRelease is the release of the machine of the scripted answers, which may be
// made to stay, or looked for, disks and all.
func scriptedRelease(t *testing.T, parameter string, answers map[string]string) (*bench, *scripted, machineops.OperationRequest) {
	t.Helper()

	b, api := newScripted(t, answers)
	request := release(b.allocation(t, "worker-a"), owned(partialID))
	request.Parameters[parameter] = "true"

	return b, api, request
}

// wantKept wants a release to be refused with the texts: for good where there is a reason.
func wantKept(t *testing.T, err error, reason string, texts ...string) {
	t.Helper()

	if reason == "" {
		wantRetried(t, err, texts...)
	} else {
		wantPermanent(t, err, reason, texts...)
	}
}

// released polls a release to its end, and returns its message.
func (b *bench) released(t *testing.T, request machineops.OperationRequest, begun machineops.BeginResult) string {
	t.Helper()

	looked, err := b.poll(t, request, begun.Operation)
	if err != nil || looked.State != machineops.ProviderOperationStateSucceeded {
		t.Fatalf("the look tells %+v, %v", looked, err)
	}

	return looked.Message
}

// All that can outlive the machine does, whoever attached it; the system disk goes.
func TestDataDisksOutliveAReleaseThatRetainsThem(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	id, request := b.launched(t, "worker-a", v1alpha3.ParameterRetainDisks, object{"size_gib": 50}, object{"size_gib": 60, "delete_with_instance": false})
	attached := b.attach(t, ecsemulator.NewDisk{InstanceID: id.ResourceID, DeleteWithInstance: true})
	want := []string{attached.ID}

	for disk := range b.dataDisks() {
		if disk != attached.ID {
			want = append(want, disk)
		}
	}

	ephemeral := b.attach(t, ecsemulator.NewDisk{InstanceID: id.ResourceID, Category: "elastic_ephemeral_disk_premium", SizeGiB: 64, DeleteWithInstance: true})

	begun := b.begunWith(t, request, map[string]int{"DescribeInstances": 1, "DescribeDisks": 2, "ModifyDiskAttribute": 1, "TagResources": 1, "DeleteInstances": 1})

	message := b.released(t, request, begun)
	b.wantDisks(t, message, want...)

	if !strings.Contains(message, "cannot outlive their machine and went with it: "+ephemeral.ID) || len(b.Disks()) != len(want) {
		t.Errorf("it is told: %s; left are %v", message, b.Disks())
	}
}

func TestDisksThatStayAnywayAreNotChanged(t *testing.T) {
	t.Parallel()

	for parameter, looks := range map[string]int{v1alpha3.ParameterRetainDisks: 1, v1alpha3.ParameterReportDisks: 1} {
		b := newBench(t, settled())
		_, request := b.launched(t, "worker-a", parameter, object{"size_gib": 50, "delete_with_instance": false})

		begun := b.begunWith(t, request, map[string]int{"DescribeInstances": 1, "DescribeDisks": looks, "TagResources": 1, "DeleteInstances": 1})

		for disk := range b.dataDisks() {
			b.wantDisks(t, b.released(t, request, begun), disk)
		}
	}
}

// Only what stays is told of where nothing is asked to stay, and what cannot be looked up
// keeps nothing from being released.
func TestDisksThatStayByThemselvesAreReported(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		prepare func(*testing.T, *bench, driver.ProviderID)
		want    string
		none    bool
	}{
		"as they are": {want: "These data disks stay: d-"},
		"denied": {
			prepare: func(t *testing.T, b *bench, _ driver.ProviderID) {
				b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeDisks"})
			},
			want: "stay could not be looked up: ",
		},
		"locked for security": {
			prepare: func(t *testing.T, b *bench, id driver.ProviderID) { b.lockForSecurity(t, id) },
			want:    "ECS deletes the disks of such a machine with it", none: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, settled())
			id, request := b.launched(t, "worker-a", v1alpha3.ParameterReportDisks, object{"size_gib": 50, "delete_with_instance": false}, object{"size_gib": 60})

			if test.prepare != nil {
				test.prepare(t, b, id)
			}

			begun, err := b.begin(t.Context(), t, request)
			if err != nil {
				t.Fatal(err)
			}

			message := b.released(t, request, begun)
			if !strings.Contains(message, test.want) || strings.Contains(message, "60 GiB") {
				t.Errorf("it is told: %s", message)
			}

			if left := b.dataDisks(); len(left) != 1 != test.none {
				t.Errorf("left are %v", left)
			}
		})
	}
}

func (b *bench) lockForSecurity(t *testing.T, id driver.ProviderID) {
	t.Helper()

	if _, err := b.AddIncident(id.ResourceID, ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: "security"}); err != nil {
		t.Fatal(err)
	}
}

// A disk is never lost because it could not be made to stay: the machine is not released,
// nor marked as if it were.
func TestWhatKeepsDisksFromStayingKeepsTheMachine(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		rule   ecsemulator.Rule
		locked bool
		reason string
		texts  []string
	}{
		"no permission to list disks": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeDisks"}, reason: v1alpha3.ReasonPermissionDenied, texts: []string{"DescribeDisks", "was not released"},
		},
		"no permission to change them": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "ModifyDiskAttribute"}, reason: v1alpha3.ReasonPermissionDenied, texts: []string{"ModifyDiskAttribute", "Forbidden.RAM", "keeping the data disks d-", "was not released"},
		},
		"a disk that ECS does not let stay": {
			rule:   ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "ModifyDiskAttribute", Code: "DiskNotPortable", HTTPStatus: 403},
			reason: v1alpha3.ReasonRefused, texts: []string{"ECS does not let the data disks d-", "Nothing was released", "retain_disks_on_release = false", "DiskNotPortable"},
		},
		"a disk that goes with its instance": {
			rule:   ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "ModifyDiskAttribute", Code: "DeleteWithInstance.Conflict", HTTPStatus: 403},
			reason: v1alpha3.ReasonRefused, texts: []string{"Nothing was released", "DeleteWithInstance.Conflict"},
		},
		"a disk that is not in a state for it": {
			rule:  ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "ModifyDiskAttribute", Code: "IncorrectDiskStatus", HTTPStatus: 403},
			texts: []string{"IncorrectDiskStatus", "was not released"},
		},
		"a disk that somebody deletes meanwhile": {
			rule:  ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "ModifyDiskAttribute", Code: "InvalidDiskId.NotFound", HTTPStatus: 404},
			texts: []string{"InvalidDiskId.NotFound", "was not released"},
		},
		"a lock for security": {
			locked: true, reason: v1alpha3.ReasonRefused, texts: []string{"locked for security reasons", "Nothing was released", "retain_disks_on_release = false"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, settled())
			id, request := b.launched(t, "worker-a", v1alpha3.ParameterRetainDisks, object{"size_gib": 50})

			if test.locked {
				b.lockForSecurity(t, id)
			} else {
				b.rule(t, test.rule)
			}

			_, err := b.begin(t.Context(), t, request)

			wantKept(t, err, test.reason, append(test.texts, id.String())...)

			if counts := b.Counts(); counts["DeleteInstances"] != 0 || counts["TagResources"] != 0 || len(b.alive()) != 1 || len(b.dataDisks()) != 1 {
				t.Errorf("calls: %v; alive are %v with %v", counts, b.alive(), b.dataDisks())
			}
		})
	}
}

// What ECS accepts and does not show has not happened; and a list without any disk is
// what those get who may not list disks, as every machine has one.
func TestDisksHaveToBeSeenToStay(t *testing.T) {
	t.Parallel()

	disk := `"Disks":{"Disk":[{"DiskId":"d-1","InstanceId":"i-bp1abc","Type":"data","Category":"cloud_essd","DeleteWithInstance":true}]}`

	for name, test := range map[string]struct {
		disks  string
		reason string
		texts  []string
		calls  map[string]int
	}{
		"accepted, and not shown": {
			disks: disk, texts: []string{"does not show it of d-1", "nothing was released"},
			calls: map[string]int{"DescribeInstances": 1, "DescribeDisks": 2, "ModifyDiskAttribute": 1},
		},
		"no disk at all": {
			disks: `"Disks":{"Disk":[]}`, reason: v1alpha3.ReasonPermissionDenied, texts: []string{"DescribeDisks", "not even its system disk"},
			calls: map[string]int{"DescribeInstances": 1, "DescribeDisks": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b, api, request := scriptedRelease(t, v1alpha3.ParameterRetainDisks, map[string]string{
				"DescribeInstances": instances(`,"Status":"Running"`), "DescribeDisks": test.disks, "ModifyDiskAttribute": `"Accepted":true`,
				"TagResources": `"Accepted":true`, "DeleteInstances": `"Accepted":true`,
			})

			_, err := b.begin(t.Context(), t, request)

			wantKept(t, err, test.reason, append(test.texts, partialID.String())...)

			wantCounts(t, api.counts(), test.calls)
		})
	}
}

// Where nothing was asked to stay it is told that nothing was shown, and the machine goes.
func TestDisksThatAreNotShownAreNotReported(t *testing.T) {
	t.Parallel()

	b, api, request := scriptedRelease(t, v1alpha3.ParameterReportDisks, map[string]string{
		"DescribeInstances": instances(`,"Status":"Running"`), "DescribeDisks": `"Disks":{"Disk":[]}`, "TagResources": `"Accepted":true`, "DeleteInstances": `"Accepted":true`,
	})

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	api.mu.Lock()
	api.answers["DescribeInstances"] = `"Instances":{"Instance":[]}`
	api.mu.Unlock()

	if message := b.released(t, request, begun); !strings.Contains(message, "stay is not known: DescribeDisks shows these credentials none") {
		t.Errorf("it is told: %s", message)
	}
}

// One that an earlier run has marked was seen with its disks by then, and may have lost
// them since.
func TestAMarkedMachineWithoutDisksIsReleased(t *testing.T) {
	t.Parallel()

	b, api, request := scriptedRelease(t, v1alpha3.ParameterRetainDisks, map[string]string{
		"DescribeInstances": instances(`,"Status":"Stopped","Tags":{"Tag":[{"TagKey":"terraform-machine/releasing","TagValue":"true"}]}`),
		"DescribeDisks":     `"Disks":{"Disk":[]}`, "DeleteInstances": `"Accepted":true`,
	})

	if _, err := b.begin(t.Context(), t, request); err != nil {
		t.Fatal(err)
	}

	wantCounts(t, api.counts(), map[string]int{"DescribeInstances": 1, "DescribeDisks": 1, "DeleteInstances": 1})
}

// A release that was cut off is gone on with by the same request, and changes no disk
// again; where the machine is gone by then, nothing is said that is not known.
func TestARepeatedReleaseKeepsDisks(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{PendingDuration: -1, BootDuration: -1})
	id, request := b.launched(t, "worker-a", v1alpha3.ParameterRetainDisks, object{"size_gib": 50})

	if _, err := b.begin(t.Context(), t, request); err != nil {
		t.Fatal(err)
	}

	begun := b.begunWith(t, request, map[string]int{"DescribeInstances": 1, "DescribeDisks": 1, "DeleteInstances": 1})

	b.step(t, time.Minute)

	for disk := range b.dataDisks() {
		b.wantDisks(t, b.released(t, request, begun), disk)
	}

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	if message := b.released(t, request, begun); !strings.Contains(message, id.String()+" was gone already") || len(b.dataDisks()) != 1 {
		t.Errorf("it is told: %s; left are %v", message, b.dataDisks())
	}
}

// Once the caller has stopped, nothing is changed any more.
func TestAReleaseThatIsStoppedWhileDisksAreKept(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	_, request := b.launched(t, "worker-a", v1alpha3.ParameterRetainDisks, object{"size_gib": 50})
	rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "ModifyDiskAttribute", At: ecsemulator.MomentAfter})

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	done := make(chan error, 1)

	go func() {
		_, err := b.begin(ctx, t, request)
		done <- err
	}()

	hold, err := b.WaitHold(t.Context(), rule)
	if err != nil {
		t.Fatal(err)
	}

	cancel()

	if err := b.Release(hold.ID, ecsemulator.Proceed); err != nil {
		t.Fatal(err)
	}

	if err := <-done; err == nil {
		t.Error("a release that was stopped succeeded")
	}

	if counts := b.Counts(); counts["DeleteInstances"] != 0 || counts["TagResources"] != 0 || len(b.alive()) != 1 {
		t.Errorf("calls: %v; alive are %v", counts, b.alive())
	}
}

// Ten machines whose disks stay share the call that sees to it. As in
// TestReleasesThatMeetShareEveryCall it is the best of some rounds that is exact.
func TestReleasesThatRetainDisksShareCalls(t *testing.T) {
	t.Parallel()

	const rounds, machines = 5, 10

	b := newBench(t, settled())

	var changes []int

	for round := range rounds {
		requests := make([]machineops.OperationRequest, machines)
		for i := range requests {
			_, requests[i] = b.launched(t, fmt.Sprintf("worker-%d-%d", round, i), v1alpha3.ParameterRetainDisks, object{"size_gib": 50})
		}

		counts := b.counted(func() {
			together(machines, func(i int) {
				if _, err := b.begin(t.Context(), t, requests[i]); err != nil {
					t.Error(err)
				}
			})
		})

		changes = append(changes, counts["ModifyDiskAttribute"])

		if counts["DescribeDisks"] != 2*machines {
			t.Errorf("DescribeDisks was called %d times for %d machines", counts["DescribeDisks"], machines)
		}
	}

	if slices.Min(changes) != 1 || len(b.dataDisks()) != rounds*machines {
		t.Errorf("ModifyDiskAttribute was called %v times; left are %d disks", changes, len(b.dataDisks()))
	}
}
