package ecs

import (
	"errors"
	"net/http"
	"sync"
	"testing"
)

func TestEqualListingsThatMeetShareOne(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 4), make(chan struct{})
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		arrived <- struct{}{}
		<-release
		reply(w, 200, map[string]any{"RequestId": "r", "TotalCount": 1, "Instances": map[string]any{"Instance": []any{map[string]any{"InstanceId": "i-1"}}}})
	})
	client := clientOf(t, s)
	tags := map[string]string{"owner": "a", "name": "b"}
	var group sync.WaitGroup
	list := func() {
		found, err := client.InstancesByTags(soon(t), "", tags)
		if err != nil || len(found) != 1 {
			t.Errorf("%v %v", found, err)
		}
	}
	group.Go(list)
	<-arrived
	// While one listing runs, everybody who comes waits for the next.
	for range 100 {
		group.Go(list)
	}
	eventually(t, "everybody waits", func() bool {
		client.listings.mutex.Lock()
		defer client.listings.mutex.Unlock()
		for _, queue := range client.listings.queues {
			return queue.next != nil && queue.next.waiting == 100
		}
		return false
	})
	close(release)
	group.Wait()
	if calls := s.count("DescribeInstances"); calls != 2 {
		t.Errorf("%d calls", calls)
	}
}

func TestAListingFollowsAllPages(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		page := map[string][]string{"": {"i-1", "i-2"}, "two": {"i-2", "i-3"}, "three": {"i-4"}}[r.URL.Query().Get("NextToken")]
		next := map[string]string{"": "two", "two": "three"}[r.URL.Query().Get("NextToken")]
		instances := []any{}
		for _, id := range page {
			instances = append(instances, map[string]any{"InstanceId": id})
		}
		reply(w, 200, map[string]any{"RequestId": "r", "TotalCount": 4, "NextToken": next, "Instances": map[string]any{"Instance": instances}})
	})
	found, err := clientOf(t, s).InstancesByTags(soon(t), "", map[string]string{"b": "2", "a": "1"})
	if err != nil || len(found) != 4 {
		t.Errorf("%v %v", found, err)
	}
	first := s.of("DescribeInstances")[0].query
	if first.Get("Tag.1.Key") != "a" || first.Get("Tag.2.Value") != "2" || first.Get("MaxResults") != "100" {
		t.Errorf("%v", first)
	}
}

func TestAListingThatCannotBeCorrectIsAnError(t *testing.T) {
	t.Parallel()
	tooMany := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 200, map[string]any{"RequestId": "r", "TotalCount": 1001, "Instances": map[string]any{"Instance": []any{}}})
	})
	if _, err := clientOf(t, tooMany).InstancesByTags(soon(t), "", map[string]string{"a": "1"}); !errors.Is(err, ErrTooManyMatches) {
		t.Errorf("1001 matches: %v", err)
	}
	endless := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 200, map[string]any{"RequestId": "r", "NextToken": "again", "Instances": map[string]any{"Instance": []any{}}})
	})
	if _, err := clientOf(t, endless).InstancesByTags(soon(t), "", map[string]string{"a": "1"}); err == nil || endless.count("DescribeInstances") != 2 {
		t.Errorf("endless pages: %d calls, %v", endless.count("DescribeInstances"), err)
	}
	if _, err := clientOf(t, tooMany).InstancesByTags(soon(t), "", nil); ClassOf(err) != ClassConfiguration {
		t.Errorf("no tags: %v", err)
	}
}
