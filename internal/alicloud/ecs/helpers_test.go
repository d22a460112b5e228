package ecs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"
)

const (
	testKeyID     = "LTAI-test-key-id-0001"
	testKeySecret = "test-key-secret-0002"
	testToken     = "test-security-token-0003"
	testRegion    = "cn-hangzhou"
)

// received is one request that a server got.
type received struct {
	action string
	query  url.Values
	header http.Header
}

// server is a small HTTP server that answers as a test says.
type server struct {
	*httptest.Server
	mutex    sync.Mutex
	requests []received
}

// answering starts a server. respond is told which request of its action it is,
// from 1.
func answering(t *testing.T, respond func(w http.ResponseWriter, r *http.Request, action string, number int)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		action := query.Get("Action")
		s.mutex.Lock()
		s.requests = append(s.requests, received{action: action, query: maps.Clone(query), header: r.Header.Clone()})
		s.mutex.Unlock()
		respond(w, r, action, s.count(action))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) count(action string) int { return len(s.of(action)) }

func (s *server) of(action string) []received {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var found []received
	for _, request := range s.requests {
		if request.action == action {
			found = append(found, request)
		}
	}
	return found
}

func (s *server) address() string { return strings.TrimPrefix(s.URL, "http://") }

// skippingClock is a clock on which every wait is over at once. It remembers the
// waits.
type skippingClock struct {
	clock.RealClock
	mutex sync.Mutex
	now   time.Time
	waits []time.Duration
}

func newSkippingClock() *skippingClock {
	return &skippingClock{now: time.Date(2026, 11, 29, 10, 0, 42, 0, time.UTC)}
}

func (c *skippingClock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.now
}

func (c *skippingClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

func (c *skippingClock) NewTimer(d time.Duration) clock.Timer {
	c.mutex.Lock()
	c.now = c.now.Add(d)
	c.waits = append(c.waits, d)
	c.mutex.Unlock()
	return c.RealClock.NewTimer(0)
}

func (c *skippingClock) waited() []time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]time.Duration(nil), c.waits...)
}

// clientOf returns a client of a server whose waits are over at once.
func clientOf(t *testing.T, s *server, change ...func(*Config)) *Client {
	t.Helper()
	config := Config{
		Region:      testRegion,
		Credentials: StaticCredentials(testKeyID, testKeySecret, testToken),
		Endpoints:   Endpoints{ECS: s.address(), VPC: s.address(), STS: s.address()},
		Protocol:    "http",
		Clock:       newSkippingClock(),
		Random:      func() float64 { return 0.5 },
	}
	for _, apply := range change {
		apply(&config)
	}
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that has gone away is part of some tests.
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	reply(w, status, map[string]any{"RequestId": "req-" + code, "HostId": "ecs.test", "Code": code, "Message": message})
}

func accept(w http.ResponseWriter) { reply(w, 200, map[string]any{"RequestId": "req-ok"}) }

func launched(w http.ResponseWriter, id string) {
	reply(w, 200, map[string]any{"RequestId": "req-run", "InstanceIdSets": map[string]any{"InstanceIdSet": []string{id}}})
}

// listed answers the instances that a DescribeInstances request asks for by ID.
func listed(w http.ResponseWriter, r *http.Request) {
	var ids []string
	if err := json.Unmarshal([]byte(r.URL.Query().Get("InstanceIds")), &ids); err != nil {
		refuse(w, 400, "InvalidParameter", err.Error())
		return
	}
	instances := make([]map[string]any, 0, len(ids))
	for _, id := range ids {
		instances = append(instances, map[string]any{"InstanceId": id, "Status": "Running"})
	}
	reply(w, 200, map[string]any{"RequestId": "req-list", "TotalCount": len(ids), "Instances": map[string]any{"Instance": instances}})
}

func launchInput() RunInstancesInput {
	return RunInstancesInput{
		InstanceType: "ecs.g7.large", ImageID: "img-1", VSwitchID: "vsw-a", SecurityGroupIDs: []string{"sg-1"},
		InstanceName: "worker-a", Tags: map[string]string{"b": "2", "a": "1"}, ClientToken: "token-1",
	}
}

// soon bounds a test that would otherwise hang.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits for a condition that another goroutine brings about.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for ctx := soon(t); !condition(); {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		}
	}
}

func instanceIDs(from, count int) []string {
	ids := make([]string, 0, count)
	for number := range count {
		ids = append(ids, fmt.Sprintf("i-%04d", from+number))
	}
	return ids
}

func assertNoSecret(t *testing.T, text string, secrets ...string) {
	t.Helper()
	for _, secret := range append(secrets, testKeyID, testKeySecret, testToken) {
		if strings.Contains(text, secret) {
			t.Errorf("%q shows the secret %q", text, secret)
		}
	}
}
