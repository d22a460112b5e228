package provider

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// countedCloud is a cloud whose time is that of a synctest bubble: it stands while a
// call is on the wire, and passes at once where all wait. So what is counted does not
// depend on how busy this machine is.
type countedCloud struct {
	*ecsemulator.Server

	address string
	origin  time.Time
	now     atomic.Int64
}

// bubbleClock is the bubble's clock. It tells the cloud what time it is: the client
// asks it before each call.
type bubbleClock struct {
	clock.RealClock

	cloud *countedCloud
}

// Now implements clock.PassiveClock.
func (c bubbleClock) Now() time.Time {
	now := time.Now()
	c.cloud.now.Store(now.UnixNano())

	return now
}

// Since implements clock.PassiveClock.
func (c bubbleClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// newCountedCloud starts a cloud outside of the bubble.
func newCountedCloud(t *testing.T, options ecsemulator.Options) *countedCloud {
	t.Helper()

	// It goes only where it is set to. What a call is signed with is compared with the time
	// of the machine, and may be a quarter of an hour off, so the two begin before that.
	options.ClockFactor = 1e-9
	options.ClockOrigin = time.Now().Add(-10 * time.Minute)

	server, err := ecsemulator.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}

	cloud := &countedCloud{Server: server, origin: options.ClockOrigin}
	front := httptest.NewServer(http.HandlerFunc(cloud.forward))
	cloud.address = front.Listener.Addr().String()

	t.Cleanup(func() {
		front.Close()

		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})

	return cloud
}

// forward hands a call on, at the bubble's time. It closes the connection, since one
// that is kept open is something to wait for, and lets no time pass.
func (c *countedCloud) forward(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")

	// Of two calls at one moment one comes second: time does not go back.
	_ = c.SetTime(time.Unix(0, c.now.Load()))

	request, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+c.Endpoint()+r.URL.RequestURI(), r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)

		return
	}

	request.Header = r.Header.Clone()

	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)

		return
	}

	defer func() { _ = answer.Body.Close() }()

	w.WriteHeader(answer.StatusCode)

	// A client that has gone away needs no answer.
	_, _ = io.Copy(w, answer.Body)
}

// bubble runs f in a bubble with a provider of this cloud.
func (c *countedCloud) bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()

	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(c.origin))
		f(t)
	})
}

// connect returns a configured provider in the bubble.
func (c *countedCloud) connect(t *testing.T) *client {
	t.Helper()

	settings := driver.Settings{
		Region:    ecsemulator.DefaultRegionID,
		Endpoints: map[string]string{"ecs": c.address, "vpc": c.address, "sts": c.address},
		Protocol:  "http",
		Clock:     bubbleClock{cloud: c},
	}

	cloud, err := alicloud.New(settings)
	if err != nil {
		t.Fatal(err)
	}

	auth, err := alicloud.Auth(settings, map[string]string{
		alicloud.SecretAccessKeyID: ecsemulator.DefaultAccessKeyID, alicloud.SecretAccessKeySecret: ecsemulator.DefaultAccessKeySecret,
	})
	if err != nil {
		t.Fatal(err)
	}

	return newClient(clientOptions{owner: "platform/prod"}, settings, cloud, auth)
}

// pace is how busy Terraform is: with each result, with one after the other, and with
// something else in the midst of every 25 of them.
type pace struct{ handling, hiccup time.Duration }

// paces are those with few machines on a fast computer, with a thousand, with a
// thousand on a slow one, and where the computer has other things to do.
func paces() map[string]pace {
	return map[string]pace{
		"quick":     {handling: 5 * time.Millisecond},
		"usual":     {handling: 60 * time.Millisecond},
		"slow":      {handling: 150 * time.Millisecond},
		"disturbed": {handling: 60 * time.Millisecond, hiccup: time.Second},
	}
}

// asTerraform does something to each of n machines, ten at a time.
func asTerraform(n int, at pace, do func(number int)) {
	var (
		workers sync.WaitGroup
		next    atomic.Int64
		// A mutex would not let the bubble's time pass.
		busy = make(chan struct{}, 1)
	)

	for range 10 {
		workers.Go(func() {
			for number := int(next.Add(1)); number <= n; number = int(next.Add(1)) {
				do(number)

				busy <- struct{}{}

				<-time.After(at.handling)

				if number%25 == 0 {
					<-time.After(at.hiccup)
				}

				<-busy
			}
		})
	}

	workers.Wait()
}

// countedRequest asks for a machine.
func countedRequest(number int, untilSeen bool) lifecycle.AllocateRequest {
	return lifecycle.AllocateRequest{
		Identity: lifecycle.Identity{Owner: "platform/prod", ClassUID: "class-uid", Name: fmt.Sprintf("worker-%05d", number)},
		Region:   ecsemulator.DefaultRegionID,
		Class: lifecycle.Class{Name: "worker", UID: "class-uid", ProviderConfig: machineops.ProviderConfig{Data: map[string]string{
			alicloud.ConfigKey: `{"region":"cn-hangzhou","image_id":"m-acme2","instance_types":["ecs.g7.large","ecs.g6.large"],` +
				`"vswitch_ids":["vsw-a","vsw-b"],"security_group_ids":["sg-1"]}`,
		}}},
		Parameters: launchParameters("fingerprint", nil),
		UntilSeen:  untilSeen,
	}
}

// countedCalls are those so far: all but those that change something, and these.
func (c *countedCloud) countedCalls() (reading, changing int) {
	for action, count := range c.Counts() {
		switch action {
		case "RunInstances", "DeleteInstances", "TagResources", "UntagResources":
			changing += count
		default:
			reading += count
		}
	}

	return reading, changing
}

// callLines are the calls but for launches, to see where they go.
func (c *countedCloud) callLines() string {
	var (
		text  strings.Builder
		calls = c.Calls()
	)

	for _, call := range calls {
		if call.Action != "RunInstances" {
			fmt.Fprintf(&text, "%8.2f %s %s\n", call.Time.Sub(calls[0].Time).Seconds(), call.Action, call.Code)
		}
	}

	return text.String()
}

// soonEnough bounds what a test does.
func soonEnough(t *testing.T) context.Context {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	t.Cleanup(cancel)

	return ctx
}
