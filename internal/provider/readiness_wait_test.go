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
func standingClient(t *testing.T, behavior ecsemulator.Behavior) (*client, *testingclock.FakeClock, *ecsemulator.Server) {
	t.Helper()

	server, err := ecsemulator.Start(t.Context(), ecsemulator.Options{Behavior: behavior})
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

	auth, err := alicloud.Auth(settings, map[string]string{
		alicloud.SecretAccessKeyID: ecsemulator.DefaultAccessKeyID, alicloud.SecretAccessKeySecret: ecsemulator.DefaultAccessKeySecret,
	})
	if err != nil {
		t.Fatal(err)
	}

	fake := testingclock.NewFakeClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	settings.Clock = fake

	return newClient(clientOptions{owner: "platform/prod"}, settings, cloud, auth), fake, server
}

func TestAFleetIsLookedAtOnceATick(t *testing.T) {
	t.Parallel()

	const machines, ticks = 230, 5

	waiting, fake, server := standingClient(t, ecsemulator.Behavior{})

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

// A look that is refused is repeated as that of a launch is: what was just granted takes
// a while to count. One that is refused again and again ends the wait.
func TestARefusedLookEndsNoWaitAtOnce(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		denials int
		denial  ecsemulator.Denial
		ends    bool
	}{
		"refused for a while":           {denials: 3, denial: ecsemulator.DenialForbidden},
		"refused again and again":       {denials: 4, denial: ecsemulator.DenialForbidden, ends: true},
		"an empty list for a while":     {denials: 3, denial: ecsemulator.DenialEmpty},
		"an empty list again and again": {denials: 4, denial: ecsemulator.DenialEmpty, ends: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			waiting, fake, server := standingClient(t, ecsemulator.Behavior{DeniedDescribe: test.denial})

			added, err := server.AddInstance(ecsemulator.NewInstance{AgeSeconds: 60})
			if err != nil {
				t.Fatal(err)
			}

			rule, err := server.AddRule(ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})
			if err != nil {
				t.Fatal(err)
			}

			began, ended := fake.Now(), make(chan error, 1)

			go func() {
				_, err := waiting.awaitRunning(t.Context(), []string{added.RegionID + "." + added.ID})
				ended <- err
			}()

			for looks, over := 1, false; !over; looks++ {
				for !fake.HasWaiters() && !over {
					select {
					case err = <-ended:
						over = true
					default:
					}
				}

				if looks == test.denials && !test.ends {
					if err := server.RemoveRule(rule.ID); err != nil {
						t.Fatal(err)
					}
				}

				// Once the next look has begun, who waits waits for the one after it.
				for calls := server.Counts()["DescribeInstances"]; !over && fake.HasWaiters() && server.Counts()["DescribeInstances"] == calls; {
					fake.Step(readinessInterval)
				}
			}

			waited := fake.Since(began)

			var stopped *notRunningError
			if refused := errors.As(err, &stopped) && stopped.look != nil; refused != test.ends || (err != nil) != test.ends || waited < 14*time.Second || waited > 18*time.Second {
				t.Errorf("after %s the wait ended with %v", waited, err)
			}
		})
	}
}
