package provider

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// standingClient is a configured provider whose clock moves when it is stepped, and
// the cloud that it is connected to.
func standingClient(t *testing.T) (*client, *testingclock.FakeClock, *ecsemulator.Server) {
	t.Helper()

	server, err := ecsemulator.Start(t.Context(), ecsemulator.Options{})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})

	settings := driver.Settings{
		Region:    ecsemulator.DefaultRegionID,
		Endpoints: map[string]string{"ecs": server.Endpoint(), "vpc": server.Endpoint(), "sts": server.Endpoint()},
		Protocol:  "http",
		Clock:     clock.RealClock{},
	}

	cloud, err := alicloud.New(settings)
	if err != nil {
		t.Fatal(err)
	}

	fake := testingclock.NewFakeClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	settings.Clock = fake

	return newClient(clientOptions{owner: "platform/prod"}, settings, cloud, alicloud.Auth(ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret, "")), fake, server
}

func TestAFleetIsLookedAtOnceATick(t *testing.T) {
	t.Parallel()

	const machines, ticks = 230, 5

	waiting, fake, server := standingClient(t)

	var ids []string

	for range machines {
		added, err := server.AddInstance(ecsemulator.NewInstance{AgeSeconds: 60, Stopped: true})
		if err != nil {
			t.Fatal(err)
		}

		ids = append(ids, added.RegionID+"."+added.ID)
	}

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)

	go func() {
		_, err := waiting.awaitRunning(ctx, ids)
		ended <- err
	}()

	for tick := range ticks {
		for !fake.HasWaiters() {
			select {
			case err := <-ended:
				t.Fatal(err)
			default:
			}
		}

		if calls, want := server.Counts()["DescribeInstances"], 3*(tick+1); calls != want {
			t.Fatalf("after %d ticks %d machines took %d calls, want %d", tick, machines, calls, want)
		}

		fake.Step(readinessInterval)
	}

	cancel()

	var stopped *notRunningError

	err := <-ended
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || len(stopped.machines) != machines {
		t.Fatalf("the wait ended with %v", err)
	}

	if text, want := err.Error(), fmt.Sprintf(" and %d more", machines-mostNamed); len(text) > 2000 || text[len(text)-len(want):] != want {
		t.Errorf("the error is %q", text)
	}
}
