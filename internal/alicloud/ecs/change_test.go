package ecs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"
	testclock "k8s.io/utils/clock/testing"
)

// together makes changes to each of the IDs at one moment, on a clock that stands,
// so that a batch goes out when it is full.
func together(client *Client, ids []string, change func(id string) error) []error {
	client.changes.clock = testclock.NewFakeClock(time.Now())
	outcomes := make([]error, len(ids))
	var group sync.WaitGroup
	for index, id := range ids {
		group.Go(func() { outcomes[index] = change(id) })
	}
	group.Wait()
	return outcomes
}

func TestChangesThatMeetTravelInOneCall(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(client *Client, ctx context.Context, id string) error
		action string
		count  int
		field  string
	}{
		"delete": {func(c *Client, ctx context.Context, id string) error { return c.DeleteInstances(ctx, "", []string{id}) }, "DeleteInstances", 100, "InstanceId"},
		"start":  {func(c *Client, ctx context.Context, id string) error { return c.StartInstances(ctx, "", []string{id}) }, "StartInstances", 100, "InstanceId"},
		"stop": {func(c *Client, ctx context.Context, id string) error {
			return c.StopInstances(ctx, "", []string{id}, StopOptions{Force: true})
		}, "StopInstances", 100, "InstanceId"},
		"reboot": {func(c *Client, ctx context.Context, id string) error {
			return c.RebootInstances(ctx, "", []string{id}, RebootOptions{})
		}, "RebootInstances", 100, "InstanceId"},
		"tag": {func(c *Client, ctx context.Context, id string) error {
			return c.TagInstances(ctx, "", []string{id}, map[string]string{"a": "b", "c": "d"})
		}, "TagResources", 50, "ResourceId"},
		"untag": {func(c *Client, ctx context.Context, id string) error {
			return c.UntagInstances(ctx, "", []string{id}, []string{"a", "b"})
		}, "UntagResources", 50, "ResourceId"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
			client := clientOf(t, s)
			ids := instanceIDs(0, 2*test.count)
			for _, err := range together(client, ids, func(id string) error { return test.change(client, soon(t), id) }) {
				if err != nil {
					t.Error(err)
				}
			}
			requests := s.of(test.action)
			if len(requests) != 2 || len(s.requests) != 2 {
				t.Fatalf("%d calls of %s, %d in all, want 2", len(requests), test.action, len(s.requests))
			}
			sent := append(repeated(requests[0].query, test.field), repeated(requests[1].query, test.field)...)
			slices.Sort(sent)
			if !slices.Equal(sent, ids) {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

func TestOnlyEqualChangesShareACall(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	client := clientOf(t, s)
	changes := []func() error{
		func() error { return client.TagInstances(soon(t), "", []string{"i-1"}, map[string]string{"a": "1"}) },
		func() error { return client.TagInstances(soon(t), "", []string{"i-2"}, map[string]string{"a": "2"}) },
		func() error {
			return client.TagInstances(soon(t), "cn-beijing", []string{"i-3"}, map[string]string{"a": "1"})
		},
		func() error { return client.StopInstances(soon(t), "", []string{"i-1"}, StopOptions{}) },
		func() error { return client.StopInstances(soon(t), "", []string{"i-2"}, StopOptions{Force: true}) },
	}
	var group sync.WaitGroup
	for _, change := range changes {
		group.Go(func() {
			if err := change(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(s.requests) != len(changes) {
		t.Errorf("%d calls, want %d", len(s.requests), len(changes))
	}
}

func TestABatchTellsOfEachInstance(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		var told []map[string]any
		for _, id := range repeated(r.URL.Query(), "InstanceId") {
			code := "200"
			switch id {
			case "i-0003":
				code = "IncorrectInstanceStatus"
			case "i-0005":
				code = "InternalError"
			}
			told = append(told, map[string]any{"InstanceId": id, "Code": code, "Message": "as it is"})
		}
		reply(w, 200, map[string]any{"RequestId": "r", "InstanceResponses": map[string]any{"InstanceResponse": told}})
	})
	client := clientOf(t, s)
	ids := instanceIDs(0, mostPowerChanges)
	for index, err := range together(client, ids, func(id string) error { return client.StartInstances(soon(t), "", []string{id}) }) {
		if refused := index == 3; (err != nil) != refused || refused && ClassOf(err) != ClassConflict {
			t.Errorf("%s: %v", ids[index], err)
		}
	}
	// What failed for a while is tried again alone.
	if many, one := s.count("StartInstances"), s.of("StartInstance"); many != 1 || len(one) != 1 || one[0].query.Get("InstanceId") != "i-0005" {
		t.Errorf("%d batches, %d alone", many, len(one))
	}
	if s.of("StartInstances")[0].query.Get("BatchOptimization") != "SuccessFirst" {
		t.Error("one instance would refuse the whole batch")
	}
	// A reboot that may have been one is not repeated.
	for index, err := range together(client, ids, func(id string) error { return client.RebootInstances(soon(t), "", []string{id}, RebootOptions{}) }) {
		var failure *Error
		if failed := index == 3 || index == 5; (err != nil) != failed || index == 5 && (!errors.As(err, &failure) || !failure.Ambiguous) {
			t.Errorf("%s: %v", ids[index], err)
		}
	}
	if s.count("RebootInstances") != 1 || s.count("RebootInstance") != 0 {
		t.Errorf("%d batches, %d alone", s.count("RebootInstances"), s.count("RebootInstance"))
	}
}

func TestARebootWhoseAnswerIsLostIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status, calls int
		code          string
		ambiguous     bool
	}{
		"lost":      {500, 1, "InternalError", true},
		"throttled": {400, 2, "Throttling.User", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
				if number == 1 {
					refuse(w, test.status, test.code, "not now")
					return
				}
				accept(w)
			})
			err := clientOf(t, s).RebootInstances(soon(t), "", []string{"i-1"}, RebootOptions{Force: true})
			var failure *Error
			if ambiguous := errors.As(err, &failure) && failure.Ambiguous; ambiguous != test.ambiguous || s.count("RebootInstance") != test.calls {
				t.Errorf("%d calls: %v", s.count("RebootInstance"), err)
			}
			if s.of("RebootInstance")[0].query.Get("ForceStop") != "true" {
				t.Error("not forced")
			}
		})
	}
}

func TestOneInstanceThatIsRefusedCostsTheOthersNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		code   string
		calls  int
	}{
		// 50, 25, 12 or 13, and so on: twice as many calls as halvings, and the first.
		"tags are used up": {403, "QuotaExceed.Tags", 13},
		"gone":             {404, "InvalidResourceId.NotFound", 13},
		// Nothing tells whose instance it is about, so each caller is asked for alone.
		"denied": {403, "Forbidden.RAM", 51},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const refused = "i-0049"
			s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
				if slices.Contains(repeated(r.URL.Query(), "ResourceId"), refused) {
					refuse(w, test.status, test.code, "no")
					return
				}
				accept(w)
			})
			client := clientOf(t, s)
			ids := instanceIDs(0, mostTagged)
			// One after the other, so that it is known who stands where.
			client.changes.clock = testclock.NewFakeClock(time.Now())
			outcomes := make([]error, len(ids))
			var group sync.WaitGroup
			for index, id := range ids {
				group.Go(func() { outcomes[index] = client.TagInstances(soon(t), "", []string{id}, map[string]string{"a": "b"}) })
				if index < len(ids)-1 {
					eventually(t, "the caller joins", func() bool { return joined(client) == index+1 })
				}
			}
			group.Wait()
			for index, err := range outcomes {
				if (err != nil) != (ids[index] == refused) {
					t.Errorf("%s: %v", ids[index], err)
				}
			}
			if calls := s.count("TagResources"); calls > test.calls {
				t.Errorf("%d calls, want at most %d", calls, test.calls)
			}
		})
	}
}

// joined is how many callers wait for the batch to go out.
func joined(client *Client) int {
	client.changes.mutex.Lock()
	defer client.changes.mutex.Unlock()
	count := 0
	for _, pending := range client.changes.pending {
		count += pending.waiting
	}
	return count
}

func TestWhoIsCanceledBeforeTheCallGoesOutIsLeftOutOfIt(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	client := clientOf(t, s)
	standing := testclock.NewFakeClock(time.Now())
	client.changes.clock = standing
	var group sync.WaitGroup
	contexts := make([]context.CancelFunc, 3)
	outcomes := make([]error, 3)
	for index := range contexts {
		ctx, cancel := context.WithCancel(soon(t))
		contexts[index] = cancel
		group.Go(func() { outcomes[index] = client.DeleteInstances(ctx, "", []string{fmt.Sprintf("i-%d", index)}) })
		eventually(t, "the caller joins", func() bool { return joined(client) == index+1 })
	}
	contexts[1]()
	eventually(t, "the caller leaves", func() bool { return joined(client) == 2 })
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	eventually(t, "the call goes out", func() bool {
		standing.Step(changePause)
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	if outcomes[0] != nil || outcomes[2] != nil || !errors.Is(outcomes[1], context.Canceled) {
		t.Errorf("%v", outcomes)
	}
	if got := s.of("DeleteInstances"); len(got) != 1 || !slices.Equal(sorted(repeated(got[0].query, "InstanceId")), []string{"i-0", "i-2"}) {
		t.Errorf("%d calls", len(got))
	}
	for _, cancel := range contexts {
		cancel()
	}
}

func sorted(ids []string) []string {
	slices.Sort(ids)
	return ids
}

func TestWhoIsCanceledBetweenTwoAttemptsIsLeftOutOfTheNext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(soon(t))
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
		if number == 1 {
			// While the call is on the wire nobody leaves it.
			cancel()
			refuse(w, 503, "ServiceUnavailable", "later")
			return
		}
		accept(w)
	})
	left := make(chan struct{})
	// The second attempt waits until the canceled caller has gone.
	client := clientOf(t, s, func(config *Config) { config.Clock = hookedClock{newSkippingClock(), func() { <-left }} })
	ids := instanceIDs(0, mostDeletes)
	outcomes := together(client, ids, func(id string) error {
		if id == ids[7] {
			defer close(left)
			return client.DeleteInstances(ctx, "", []string{id})
		}
		return client.DeleteInstances(soon(t), "", []string{id})
	})
	for index, err := range outcomes {
		var failure *Error
		switch {
		case index == 7 && (!errors.Is(err, context.Canceled) || !errors.As(err, &failure) || failure.Code != "ServiceUnavailable"):
			t.Errorf("the canceled one: %v", err)
		case index != 7 && err != nil:
			t.Errorf("%s: %v", ids[index], err)
		}
	}
	got := s.of("DeleteInstances")
	if len(got) != 2 || slices.Contains(repeated(got[1].query, "InstanceId"), ids[7]) || len(repeated(got[1].query, "InstanceId")) != mostDeletes-1 {
		t.Errorf("%d calls", len(got))
	}
}

// hookedClock tells of every wait before it.
type hookedClock struct {
	*skippingClock
	hook func()
}

func (c hookedClock) NewTimer(d time.Duration) clock.Timer {
	c.hook()
	return c.skippingClock.NewTimer(d)
}

func TestAChangeOnTheWireIsAwaitedAfterCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(soon(t))
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		cancel()
		accept(w)
	})
	if err := clientOf(t, s).DeleteInstances(ctx, "", instanceIDs(0, 3)); err != nil || s.count("DeleteInstances") != 1 {
		t.Errorf("what was learned is lost: %v", err)
	}
}

func TestChangesEndWithTheClient(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	client := clientOf(t, s)
	client.Close()
	if err := client.DeleteInstances(soon(t), "", []string{"i-1"}); !errors.Is(err, errClosed) || s.count("DeleteInstances") != 0 {
		t.Errorf("%v", err)
	}
}

// patientClock never gives up on the call before.
type patientClock struct{ clock.RealClock }

func (c patientClock) NewTimer(d time.Duration) clock.Timer {
	if d == wireLimit {
		return testclock.NewFakeClock(time.Now()).NewTimer(d)
	}
	return c.RealClock.NewTimer(d)
}

func TestWhoComesWhileACallIsOnTheWireGoesWithTheNext(t *testing.T) {
	t.Parallel()
	arrived, hold := make(chan struct{}), make(chan struct{})
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
		if number == 1 {
			close(arrived)
			<-hold
		}
		accept(w)
	})
	client := clientOf(t, s)
	client.changes.clock = patientClock{}
	var group sync.WaitGroup
	begin := func(id string) {
		group.Go(func() {
			if err := client.DeleteInstances(soon(t), "", []string{id}); err != nil {
				t.Error(err)
			}
		})
	}
	begin("i-first")
	<-arrived
	for index, id := range instanceIDs(0, 7) {
		begin(id)
		eventually(t, "the caller joins", func() bool { return joined(client) == index+1 })
	}
	close(hold)
	group.Wait()
	if calls := s.of("DeleteInstances"); len(calls) != 2 || len(repeated(calls[1].query, "InstanceId")) != 7 {
		t.Errorf("%d calls", len(calls))
	}
}

// A call that hangs holds up nobody but those who are in it.
func TestACallThatHangsDoesNotHoldUpTheNext(t *testing.T) {
	t.Parallel()
	arrived, hold := make(chan struct{}), make(chan struct{})
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
		if number == 1 {
			close(arrived)
			<-hold
		}
		accept(w)
	})
	client := clientOf(t, s)
	var group sync.WaitGroup
	group.Go(func() {
		if err := client.DeleteInstances(soon(t), "", []string{"i-hangs"}); err != nil {
			t.Error(err)
		}
	})
	<-arrived
	if err := client.DeleteInstances(soon(t), "", []string{"i-1"}); err != nil {
		t.Error(err)
	}
	close(hold)
	group.Wait()
}
