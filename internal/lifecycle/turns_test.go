package lifecycle_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestOperationsOnOneMachineWaitForEachOtherInOrder(t *testing.T) {
	t.Parallel()

	c, clk := newCloud(), newClock()
	entered, release := make(chan string), make(chan struct{})
	c.onBegin = func(_ context.Context, _ int, request machineops.OperationRequest) (machineops.BeginResult, error) {
		entered <- string(request.OperationUID)
		<-release

		return begun(), nil
	}

	queued := make(chan struct{}, 8)
	runner := c.runner(t, clk)
	runner.Logger = logOf("older operation", queued)

	done := make(chan error, 3)
	run := func(uid, machine string) {
		request := reboot()
		request.OperationUID, request.ProviderID = uidOf(uid), machine

		_, err := runner.Run(t.Context(), lifecycle.Run{Request: request})
		done <- err
	}

	go run("first", machineID)

	if got := <-entered; got != "first" {
		t.Fatalf("entered: %s", got)
	}

	go run("second", machineID)
	<-queued

	// Another machine's operation waits for nobody.
	go run("other", "north.m-2")

	if got := <-entered; got != "other" {
		t.Fatalf("entered: %s, want the operation on another machine", got)
	}

	release <- struct{}{}

	if err := <-done; err != nil {
		t.Fatalf("Run: %v", err)
	}

	// One that gives up leaves the queue to those behind it.
	ctx, cancel := context.WithCancel(t.Context())
	request := reboot()
	request.OperationUID = "impatient"

	gaveUp := make(chan error, 1)
	go func() {
		outcome, err := runner.Run(ctx, lifecycle.Run{Request: request})
		if outcome.Phase != v1alpha3.OperationPhasePending || outcome.Pending != nil {
			t.Errorf("outcome of the impatient is %+v", outcome)
		}

		gaveUp <- err
	}()

	<-queued
	cancel()

	if unfinished := wantUnfinished(t, <-gaveUp, context.Canceled); !strings.Contains(unfinished.LastState, "older operation") {
		t.Errorf("last state is %q", unfinished.LastState)
	}

	release <- struct{}{}

	if got := <-entered; got != "second" {
		t.Fatalf("entered: %s", got)
	}

	release <- struct{}{}

	for range 2 {
		if err := <-done; err != nil {
			t.Fatalf("Run: %v", err)
		}
	}

	wantCounts(t, c, map[string]int{"begin": 3, "poll": 3, "cleanup": 3})
}

// The operation that a killed run has left on a machine may be gone on with by the same run
// as another one that came first: that one waits for it, and does not keep it waiting.
func TestAnOperationLetsTheOneAheadThatItWaitsFor(t *testing.T) {
	t.Parallel()

	c, clk := newCloud(), newClock()

	entered, release := make(chan string), make(chan struct{})
	awaited := &machineops.AwaitedError{ProviderID: machineID, Operation: "another", Is: func(uid types.UID) bool { return uid == "disk" }}

	var ended atomic.Bool

	c.onBegin = func(_ context.Context, _ int, request machineops.OperationRequest) (machineops.BeginResult, error) {
		entered <- string(request.OperationUID)
		<-release

		switch {
		case request.OperationUID == "disk":
			ended.Store(true)
		case !ended.Load():
			return machineops.BeginResult{}, fmt.Errorf("beginning: %w", awaited)
		}

		return begun(), nil
	}

	queued := make(chan struct{}, 8)
	runner := c.runner(t, clk)
	runner.Logger = logOf("older operation", queued)

	done := make(chan error, 3)

	for n, uid := range []string{"on", "between", "disk"} {
		request := reboot()
		request.OperationUID = types.UID(uid)

		go func() {
			_, err := runner.Run(t.Context(), lifecycle.Run{Request: request})
			done <- err
		}()

		if n == 0 {
			if got := <-entered; got != uid {
				t.Fatalf("entered: %s", got)
			}
		} else {
			<-queued
		}
	}

	release <- struct{}{}

	for _, want := range []string{"disk", "on", "between"} {
		if got := <-entered; got != want {
			t.Fatalf("entered: %s, want %s", got, want)
		}

		release <- struct{}{}
	}

	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestMachineWithoutAnIDIsKnownByWhatItIsToBecome(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		first, second machineops.OperationRequest
		wait          bool
	}{
		"one UID":             {machineops.OperationRequest{MachineUID: "u"}, machineops.OperationRequest{MachineUID: "u", MachineName: "n"}, true},
		"two UIDs":            {machineops.OperationRequest{MachineUID: "u"}, machineops.OperationRequest{MachineUID: "v"}, false},
		"one name":            {machineops.OperationRequest{MachineName: "n"}, machineops.OperationRequest{MachineName: "n"}, true},
		"a UID like a name":   {machineops.OperationRequest{MachineUID: "n"}, machineops.OperationRequest{MachineName: "n"}, false},
		"two IDs of one name": {machineops.OperationRequest{MachineUID: "u", ProviderID: "1"}, machineops.OperationRequest{MachineUID: "u", ProviderID: "2"}, false},
		"no machine":          {machineops.OperationRequest{}, machineops.OperationRequest{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			ctx, cancel := context.WithCancel(t.Context())
			c := newCloud()
			runner := c.runner(t, newClock())

			for _, request := range []*machineops.OperationRequest{&test.first, &test.second} {
				request.OperationUID, request.Operation = "u", v1alpha3.OperationHostReboot
			}

			// The second is asked for while the first is under way.
			c.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
				if n == 2 {
					return begun(), nil
				}

				if test.wait {
					cancel()
				}

				_, err := runner.Run(ctx, lifecycle.Run{Request: test.second})
				if waited := lifecycle.Interrupted(err); waited != test.wait {
					t.Errorf("the second one ended with %v, want it to wait: %v", err, test.wait)
				}

				return begun(), nil
			}

			if _, err := runner.Run(t.Context(), lifecycle.Run{Request: test.first}); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
}

func TestPanicOfAnOperationLetsTheNextOneHaveTheMachine(t *testing.T) {
	t.Parallel()

	c := newCloud()
	c.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		if n == 1 {
			panic("bug")
		}

		return begun(), nil
	}

	runner := c.runner(t, newClock())

	func() {
		defer func() { _ = recover() }()

		_, _ = runner.Run(t.Context(), lifecycle.Run{Request: reboot()})
	}()

	if _, err := runner.Run(t.Context(), lifecycle.Run{Request: reboot()}); err != nil {
		t.Errorf("Run: %v", err)
	}
}
