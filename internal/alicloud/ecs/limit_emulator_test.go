package ecs_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// fastClock follows the clock of a server.
type fastClock struct {
	clock.RealClock
	server *ecsemulator.Server
}

func (c fastClock) Now() time.Time                  { return c.server.Now() }
func (c fastClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }
func (c fastClock) NewTimer(d time.Duration) clock.Timer {
	return c.RealClock.NewTimer(max(1, time.Duration(float64(d)/c.server.ClockFactor())))
}

// Three processes of one account keep calling, ten calls at a time each, on a
// quota of 100 a minute. How far each is from an equal share is for the simulation
// to tell exactly; here they meet a server, real connections, and each other.
func TestThreeClientsOnOneQuotaStarveNobody(t *testing.T) {
	t.Parallel()
	const perMinute, minutes, clients, concurrent = 100, 8, 3, 10
	server := start(t, ecsemulator.Options{ClockFactor: 60})
	addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleThrottle, Action: "DescribeZones", PerMinute: perMinute})

	end := server.Now().Truncate(time.Minute).Add((minutes + 1) * time.Minute)
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()
	var (
		group sync.WaitGroup
		got   [clients]atomic.Int64
	)
	for number := range clients {
		client := connect(t, server, func(config *ecs.Config) { config.Clock = fastClock{server: server} })
		for range concurrent {
			group.Go(func() {
				for server.Now().Before(end) {
					if _, err := client.Zones(ctx, ""); err != nil {
						if ctx.Err() == nil {
							t.Error(err)
						}
						return
					}
					got[number].Add(1)
				}
				// Who waits for the next minute then has nothing to wait for.
				cancel()
			})
		}
	}
	group.Wait()

	var total int64
	for number := range got {
		total += got[number].Load()
	}
	refused := 0
	for _, answer := range server.AnswerCounts() {
		if answer.Status != 200 {
			refused += answer.Calls
		}
	}
	t.Logf("%d, %d and %d calls of %d, %d refused", got[0].Load(), got[1].Load(), got[2].Load(), total, refused)
	for number := range got {
		if share := float64(got[number].Load()) / float64(total); share < 0.5/clients {
			t.Errorf("client %d got %.0f %% of the calls", number, share*100)
		}
	}
	if part := float64(refused) / float64(int64(refused)+total); part > 0.25 {
		t.Errorf("%d calls were refused, %d were not", refused, total)
	}
}
