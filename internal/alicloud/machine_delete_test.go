package alicloud_test

import (
	"context"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestDeleteMachineDeletesTheMachineAndNoOther(t *testing.T) {
	t.Parallel()

	for name, byID := range map[string]bool{"by provider ID": true, "by name": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, settled())
			created, other := b.create(t, b.createRequest(t, "worker-a")), b.create(t, b.createRequest(t, "worker-b"))
			request := b.deleteRequest(t, "worker-a", "")

			if byID {
				request.Machine.Spec.ProviderID = created.ProviderID
			}

			wantCounts(t, b.counted(func() {
				if _, err := b.driver.DeleteMachine(t.Context(), request); err != nil {
					t.Fatal(err)
				}
			}), map[string]int{"DescribeInstances": 1, "DeleteInstances": 1})

			if alive := b.alive(); len(alive) != 1 || other.ProviderID != region+"."+alive[0] {
				t.Errorf("alive are %v, want %s", alive, other.ProviderID)
			}
		})
	}
}

func TestAbsentMachineIsADeletedMachine(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	created := b.create(t, b.createRequest(t, "worker-a"))

	if err := b.RemoveInstance(b.alive()[0]); err != nil {
		t.Fatal(err)
	}

	for known, want := range map[string]map[string]int{
		// Listed, then proven: permission and release; no deletion but the dry run.
		created.ProviderID: {"DescribeInstances": 2, "DeleteInstances": 1},
		"":                 {"DescribeInstances": 2},
	} {
		wantCounts(t, b.counted(func() {
			if _, err := b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", known)); err != nil {
				t.Error(err)
			}
		}), want)
	}
}

func TestDeleteMachineTwiceDeletesOnce(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{PendingDuration: -1, BootDuration: -1})
	created := b.create(t, b.createRequest(t, "worker-a"))
	request := b.deleteRequest(t, "worker-a", created.ProviderID)

	for range 2 {
		response, err := b.driver.DeleteMachine(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}

		request.Machine.Status.LastKnownState = response.LastKnownState
		request.Machine.Spec.ProviderID = ""
	}

	b.step(t, time.Minute)

	if _, err := b.driver.DeleteMachine(t.Context(), request); err != nil {
		t.Fatal(err)
	}

	deletions := 0

	for _, effect := range b.Journal() {
		if effect.Effect == "releasing" {
			deletions++
		}
	}

	if deletions != 1 {
		t.Errorf("it was deleted %d times", deletions)
	}
}

func TestMachineThatBootsIsDeletedLater(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	created := b.create(t, b.createRequest(t, "worker-a"))

	for _, status := range []string{"Pending", "Starting"} {
		wantCounts(t, b.counted(func() {
			_, err := b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", created.ProviderID))
			wantCode(t, err, driver.CodeUnavailable, created.ProviderID, status)
		}), map[string]int{"DescribeInstances": 1})

		b.step(t, 5*time.Second)
	}

	b.step(t, time.Minute)

	if _, err := b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", created.ProviderID)); err != nil {
		t.Error(err)
	}
}

func TestMachineThatECSCallsInitializingIsDeletedLater(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	created := b.create(t, b.createRequest(t, "worker-a"))
	b.rule(t, ecsemulator.Rule{
		Kind: ecsemulator.RuleError, Action: "DeleteInstances", Times: 1, Code: "IncorrectInstanceStatus.Initializing", HTTPStatus: 403,
	})

	_, err := b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", created.ProviderID))
	wantCode(t, err, driver.CodeUnavailable, "IncorrectInstanceStatus.Initializing")

	if _, err = b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", created.ProviderID)); err != nil {
		t.Error(err)
	}
}

func TestMachineOfAnotherNameIsLeftAlone(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	other := b.create(t, b.createRequest(t, "worker-b"))

	wantCounts(t, b.counted(func() {
		_, err := b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", other.ProviderID))
		wantCode(t, err, driver.CodeFailedPrecondition, "worker-b", "left alone")
	}), map[string]int{"DescribeInstances": 1})
}

func TestDeletionThatECSForbidsSaysWhatToDo(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	created := b.create(t, b.createRequest(t, "worker-a"))

	for code, text := range map[string]string{
		"InvalidOperation.DeletionProtection": "deletion protection",
		"OperationDenied.DeletionProtection":  "deletion protection",
		"ChargeTypeViolation":                 "pay-as-you-go",
	} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "DeleteInstances", Code: code, HTTPStatus: 403})

		_, err := b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", created.ProviderID))
		wantCode(t, err, driver.CodeFailedPrecondition, created.ProviderID, text, code)

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMachineOfAClassThatCannotBeReadIsDeletedByItsID(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	created := b.create(t, b.createRequest(t, "worker-a"))
	request := b.deleteRequest(t, "worker-a", created.ProviderID)
	request.MachineClass.ProviderSpec.Raw = []byte(`{"imageID": 7}`)

	if _, err := b.driver.DeleteMachine(t.Context(), request); err != nil {
		t.Fatal(err)
	}

	if alive := b.alive(); len(alive) != 0 {
		t.Errorf("alive are %v", alive)
	}
}

func TestCanceledDeleteDeletesNothing(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	created := b.create(t, b.createRequest(t, "worker-a"))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := b.driver.DeleteMachine(ctx, b.deleteRequest(t, "worker-a", created.ProviderID))
	wantCode(t, err, driver.CodeCanceled)

	if len(b.alive()) != 1 {
		t.Error("it was deleted")
	}
}
