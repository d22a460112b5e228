package alicloud_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// stops counts the stops that ECS accepted, without force and by force.
func (b *bench) stops() (graceful, forced int) {
	for _, call := range b.Calls() {
		switch {
		case call.Action != "StopInstance" || call.Status != 200:
		case call.Parameters["ForceStop"] == "true":
			forced++
		default:
			graceful++
		}
	}

	return graceful, forced
}

func TestAMachineThatDoesNotShutDownIsReleased(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		shutdown ecsemulator.Shutdown
		grace    string
		forced   int
		least    time.Duration
	}{
		"in the middle of a stop of somebody's":     {shutdown: ecsemulator.ShutdownHangs, forced: 1, least: 2 * time.Minute},
		"after its grace":                           {shutdown: ecsemulator.ShutdownHangs, grace: "3m", forced: 1, least: 3 * time.Minute},
		"and one that takes its time is not forced": {shutdown: ecsemulator.ShutdownEnds},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{StopDuration: time.Minute, Behavior: ecsemulator.Behavior{GracefulStop: test.shutdown}})
			allocate := b.allocation(t, "worker-a")
			id, _ := b.launch(t, allocate)
			b.step(t, 2*time.Minute)

			request := release(allocate, owned(id))

			if test.grace != "" {
				request.Parameters[v1alpha3.ParameterGracefulRelease] = test.grace
			} else {
				b.handle(t, b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil))
			}

			began := b.Now()

			// The first attempt ends the shutdown, and the next one deletes the machine.
			_, err := b.begin(t.Context(), t, request)
			wantRetried(t, err, "IncorrectInstanceStatus", id.String())

			if took := b.Now().Sub(began); took < test.least {
				t.Errorf("it was given %v, want at least %v", took, test.least)
			}

			if _, err := b.begin(t.Context(), t, request); err != nil {
				t.Error(err)
			}

			if graceful, forced := b.stops(); graceful != 1 || forced != test.forced {
				t.Errorf("asked to shut down %d times, and forced %d times, want %d", graceful, forced, test.forced)
			}

			b.step(t, time.Minute)

			if alive := b.alive(); len(alive) != 0 {
				t.Errorf("alive are %v", alive)
			}
		})
	}
}

func TestAReleaseOfAMachineThatDoesNotShutDownEndsWithItsContext(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{GracefulStop: ecsemulator.ShutdownHangs}})
	allocate := b.allocation(t, "worker-a")
	id, _ := b.launch(t, allocate)
	b.step(t, 2*time.Minute)
	b.handle(t, b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	b.clock = &steppedClock{server: b.Server, onWait: func(time.Duration) { cancel() }}
	b.cloud = b.process(t)

	if _, err := b.begin(ctx, t, release(allocate, owned(id))); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}

	if _, forced := b.stops(); forced > 0 {
		t.Error("the power was cut after the end")
	}
}
