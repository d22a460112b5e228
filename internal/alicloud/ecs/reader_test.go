package ecs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

func askedFor(r *http.Request) []string {
	var ids []string
	// The request was made by the client under test; what it asks is asserted on.
	_ = json.Unmarshal([]byte(r.URL.Query().Get("InstanceIds")), &ids)
	return ids
}

func TestFiveHundredConcurrentReadsCostFiveCalls(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) { listed(w, r) })
	client := clientOf(t, s)
	// Nobody is late on a clock that stands: only full pages travel.
	client.instances.clock = testclock.NewFakeClock(time.Now())
	var group sync.WaitGroup
	for _, id := range instanceIDs(0, 500) {
		group.Go(func() {
			found, err := client.InstancesByID(soon(t), "", []string{id})
			if err != nil || len(found) != 1 || found[id].ID != id {
				t.Errorf("%s: %v %v", id, found, err)
			}
		})
	}
	group.Wait()
	if calls := s.count("DescribeInstances"); calls != 5 {
		t.Errorf("%d calls", calls)
	}
	for _, request := range s.of("DescribeInstances") {
		if request.query.Get("MaxResults") != "100" {
			t.Errorf("a page of %q would leave instances out", request.query.Get("MaxResults"))
		}
	}
}

func TestOneReadOfManyInstancesIsSplitIntoPages(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) { listed(w, r) })
	ids := instanceIDs(0, 250)
	found, err := clientOf(t, s).InstancesByID(soon(t), "", append(ids, ids[:50]...))
	if err != nil || len(found) != 250 {
		t.Fatalf("%d found: %v", len(found), err)
	}
	if calls := s.count("DescribeInstances"); calls != 3 {
		t.Errorf("%d calls", calls)
	}
}

func TestNoIDsCostNoCallAndBadOnesAreRefused(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) { listed(w, r) })
	client := clientOf(t, s)
	if found, err := client.InstancesByID(soon(t), "", nil); err != nil || found == nil || len(found) != 0 {
		t.Errorf("%v %v", found, err)
	}
	for _, id := range []string{"", " ", `i-1","i-2`, "i 1"} {
		if _, err := client.InstancesByID(soon(t), "", []string{id}); ClassOf(err) != ClassConfiguration {
			t.Errorf("%q: %v", id, err)
		}
	}
	if calls := s.count("DescribeInstances"); calls != 0 {
		t.Errorf("%d calls", calls)
	}
}

func TestAnAbsentInstanceIsLeftOutAndOthersAreNot(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 200, map[string]any{"RequestId": "r", "Instances": map[string]any{"Instance": []any{
			map[string]any{"InstanceId": "i-2", "Status": "Running"}, map[string]any{"InstanceId": "i-uninvited"}, map[string]any{},
		}}})
	})
	found, err := clientOf(t, s).InstancesByID(soon(t), "", []string{"i-1", "i-2"})
	if err != nil || len(found) != 1 || found["i-2"].Status != InstanceStatusRunning {
		t.Errorf("%v %v", found, err)
	}
}

func TestReadersOfOneInstanceGetCopies(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 200, map[string]any{"RequestId": "r", "Instances": map[string]any{"Instance": []any{map[string]any{
			"InstanceId": "i-1", "Tags": map[string]any{"Tag": []any{map[string]any{"TagKey": "k", "TagValue": "v"}}},
		}}}})
	})
	client := clientOf(t, s)
	var group sync.WaitGroup
	for number := range 20 {
		group.Go(func() {
			found, err := client.InstancesByID(soon(t), "", []string{"i-1"})
			if err != nil || found["i-1"].Tags["k"] != "v" {
				t.Errorf("%v %v", found, err)
				return
			}
			found["i-1"].Tags["k"] = fmt.Sprint(number) // the race detector sees shared maps
		})
	}
	group.Wait()
}

func TestOneReadersCancellationHurtsNoOther(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		arrived <- struct{}{}
		<-release
		listed(w, r)
	})
	client := clientOf(t, s)
	leaving, cancel := context.WithCancel(soon(t))
	left, stayed := make(chan error, 1), make(chan error, 1)
	// Joining by hand makes sure that both are in one flight.
	first, err := client.instances.join(testRegion, []string{"i-1"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := client.instances.join(testRegion, []string{"i-1", "i-2"})
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 1 || len(second) != 1 || first[0].flight != second[0].flight {
		t.Fatal("the readers do not share a flight")
	}
	go func() { left <- client.instances.await(leaving, testRegion, first[0]) }()
	go func() { stayed <- client.instances.await(soon(t), testRegion, second[0]) }()
	<-arrived
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v", err)
	}
	close(release)
	if err := <-stayed; err != nil || len(second[0].instances) != 2 {
		t.Errorf("the one who stayed: %v %v", second[0].instances, err)
	}
	if calls := s.count("DescribeInstances"); calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

func TestACallThatNobodyWaitsForIsEnded(t *testing.T) {
	t.Parallel()
	arrived, ended := make(chan struct{}), make(chan struct{})
	s := answering(t, func(_ http.ResponseWriter, r *http.Request, _ string, _ int) {
		close(arrived)
		<-r.Context().Done()
		close(ended)
	})
	client := clientOf(t, s)
	ctx, cancel := context.WithCancel(soon(t))
	left := make(chan error, 1)
	go func() { _, err := client.InstancesByID(ctx, "", []string{"i-1"}); left <- err }()
	<-arrived
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled read ended with %v", err)
	}
	select {
	case <-ended:
	case <-time.After(8 * time.Second): // less than the call's own timeout
		t.Error("the call goes on")
	}
}

func TestAReadIsNeverServedByACallThatBeganBeforeIt(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	var stopped atomic.Bool
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, action string, number int) {
		if action == "StopInstance" {
			stopped.Store(true)
			accept(w)
			return
		}
		status := "Running"
		if stopped.Load() {
			status = "Stopping"
		}
		if number == 1 {
			close(arrived)
			<-release
		}
		reply(w, 200, map[string]any{"RequestId": "r", "Instances": map[string]any{"Instance": []any{map[string]any{"InstanceId": "i-1", "Status": status}}}})
	})
	client := clientOf(t, s)
	early := make(chan InstanceStatus, 1)
	go func() {
		found, err := client.InstancesByID(soon(t), "", []string{"i-1"})
		if err != nil {
			t.Error(err)
		}
		early <- found["i-1"].Status
	}()
	<-arrived
	if err := client.StopInstances(soon(t), "", []string{"i-1"}, StopOptions{}); err != nil {
		t.Fatal(err)
	}
	found, err := client.InstancesByID(soon(t), "", []string{"i-1"})
	if err != nil || found["i-1"].Status != InstanceStatusStopping {
		t.Errorf("after our own stop: %v %v", found, err)
	}
	close(release)
	if status := <-early; status != InstanceStatusRunning {
		t.Errorf("the early read: %s", status)
	}
}

func TestAnIDThatTheAPIRefusesCostsOthersNothing(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		if slices.Contains(askedFor(r), "i-bad") {
			refuse(w, 400, "InvalidParameter", "The specified InstanceIds are not valid.")
			return
		}
		listed(w, r)
	})
	client := clientOf(t, s)
	good, err := client.instances.join(testRegion, []string{"i-1"})
	if err != nil {
		t.Fatal(err)
	}
	bad, err := client.instances.join(testRegion, []string{"i-bad"})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.instances.await(soon(t), testRegion, good[0]); err != nil || len(good[0].instances) != 1 {
		t.Errorf("good: %v", err)
	}
	if err := client.instances.await(soon(t), testRegion, bad[0]); ClassOf(err) != ClassConfiguration {
		t.Errorf("bad: %v", err)
	}
}

func TestTheIDThatTheAPIRefusesIsFoundByHalves(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		if slices.Contains(askedFor(r), "i-0042") {
			refuse(w, 400, "InvalidParameter", "The specified InstanceIds are not valid.")
			return
		}
		listed(w, r)
	})
	client := clientOf(t, s)
	members := make([]*member, 0, 100)
	for _, id := range instanceIDs(0, 100) {
		joined, err := client.instances.join(testRegion, []string{id})
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, joined...)
	}
	for _, m := range members {
		err := client.instances.await(soon(t), testRegion, m)
		if bad := m.ids[0] == "i-0042"; bad != (err != nil) {
			t.Errorf("%s: %v", m.ids[0], err)
		}
	}
	if calls := s.count("DescribeInstances"); calls > 15 {
		t.Errorf("%d calls", calls)
	}
}

func TestADeniedReadIsOneCallAndEverybodysError(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { refuse(w, 403, "Forbidden.RAM", "no") })
	client := clientOf(t, s)
	members := make([]*member, 0, 10)
	for _, id := range instanceIDs(0, 10) {
		joined, err := client.instances.join(testRegion, []string{id})
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, joined...)
	}
	for _, m := range members {
		if err := client.instances.await(soon(t), testRegion, m); ClassOf(err) != ClassPermission {
			t.Error(err)
		}
	}
	if calls := s.count("DescribeInstances"); calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

func TestRegionsDoNotShareCalls(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		if r.URL.Query().Get("RegionId") == "cn-beijing" {
			reply(w, 200, map[string]any{"RequestId": "r", "Instances": map[string]any{"Instance": []any{}}})
			return
		}
		listed(w, r)
	})
	client := clientOf(t, s)
	var group sync.WaitGroup
	for region, want := range map[string]int{"cn-beijing": 0, testRegion: 1} {
		group.Go(func() {
			found, err := client.InstancesByID(soon(t), region, []string{"i-1"})
			if err != nil || len(found) != want {
				t.Errorf("%s: %v %v", region, found, err)
			}
		})
	}
	group.Wait()
}

func TestAReaderWhoseTimeEndsIsToldTheLastRefusal(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		refuse(w, 503, "ServiceUnavailable", "maintenance")
	})
	client := clientOf(t, s)
	ctx, cancel := context.WithCancel(soon(t))
	ended := make(chan error, 1)
	go func() { _, err := client.InstancesByID(ctx, "", []string{"i-1"}); ended <- err }()
	eventually(t, "two attempts", func() bool { return s.count("DescribeInstances") > 1 })
	cancel()
	err := <-ended
	if !errors.Is(err, context.Canceled) || ClassOf(err) != ClassTransient || !strings.Contains(err.Error(), "maintenance") {
		t.Errorf("%v", err)
	}
}

func TestCloseEndsSharedReadsAndRefusesLaterOnes(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	s := answering(t, func(_ http.ResponseWriter, r *http.Request, _ string, _ int) {
		close(arrived)
		<-r.Context().Done()
	})
	client := clientOf(t, s)
	ended := make(chan error, 1)
	go func() { _, err := client.InstancesByID(soon(t), "", []string{"i-1"}); ended <- err }()
	<-arrived
	client.Close()
	if err := <-ended; !errors.Is(err, errClosed) || errors.Is(err, context.Canceled) {
		t.Errorf("the read that ran: %v", err)
	}
	if _, err := client.InstancesByID(soon(t), "", []string{"i-1"}); !errors.Is(err, errClosed) {
		t.Errorf("by ID: %v", err)
	}
	if _, err := client.InstancesByTags(soon(t), "", map[string]string{"a": "1"}); !errors.Is(err, errClosed) {
		t.Errorf("by tags: %v", err)
	}
}

func TestNothingIsKeptOfReadsThatEnded(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		if r.URL.Query().Has("InstanceIds") {
			listed(w, r)
			return
		}
		reply(w, 200, map[string]any{"RequestId": "r", "Instances": map[string]any{"Instance": []any{}}})
	})
	client := clientOf(t, s)
	for number := range 20 {
		if _, err := client.InstancesByID(soon(t), "", []string{fmt.Sprintf("i-%d", number)}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.InstancesByTags(soon(t), "", map[string]string{"n": fmt.Sprint(number)}); err != nil {
			t.Fatal(err)
		}
	}
	// close waits for every goroutine of a read: without it this would hang.
	client.Close()
	if left := len(client.instances.pending) + len(client.listings.queues); left != 0 {
		t.Errorf("%d reads are kept", left)
	}
}

func TestWhoComesAfterEverybodyLeftIsServed(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		if r.URL.Query().Has("InstanceIds") {
			listed(w, r)
			return
		}
		reply(w, 200, map[string]any{"RequestId": "r", "Instances": map[string]any{"Instance": []any{}}})
	})
	client := clientOf(t, s)
	frozen := testclock.NewFakeClock(time.Now())
	client.listings.clock = frozen
	gone, err := client.instances.join(testRegion, []string{"i-1"})
	if err != nil {
		t.Fatal(err)
	}
	client.instances.leave(gone[0])
	if found, err := client.InstancesByID(soon(t), "", []string{"i-2"}); err != nil || len(found) != 1 {
		t.Errorf("by ID: %v %v", found, err)
	}
	for range 20 {
		tags := map[string]string{"a": "1"}
		goneToo, err := client.listings.join(testRegion, tags)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the listing gathers", frozen.HasWaiters)
		client.listings.leave(goneToo)
		late, err := client.listings.join(testRegion, tags)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- client.listings.await(soon(t), testRegion, late) }()
		var lateErr error
		eventually(t, "the late one is served", func() bool {
			frozen.Step(readPause)
			select {
			case lateErr = <-ended:
				return true
			default:
				return false
			}
		})
		if lateErr != nil {
			t.Errorf("by tags: %v", lateErr)
		}
	}
}

func TestLeavingTwiceCountsOnce(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) { listed(w, r) })
	client := clientOf(t, s)
	client.instances.clock = testclock.NewFakeClock(time.Now())
	leaving, err := client.instances.join(testRegion, []string{"i-1"})
	if err != nil {
		t.Fatal(err)
	}
	staying, err := client.instances.join(testRegion, []string{"i-1"})
	if err != nil {
		t.Fatal(err)
	}
	client.instances.leave(leaving[0])
	client.instances.leave(leaving[0])
	if staying[0].flight.ctx.Err() != nil {
		t.Error("the one who stays lost the flight")
	}
}
