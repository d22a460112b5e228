package ecs

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

// quota is the API's count of calls in fixed minutes, which begin skew later than
// those of the callers.
type quota struct {
	perMinute int
	skew      time.Duration
	window    time.Time
	used      int
}

func (q *quota) allow(now time.Time) bool {
	if minute := now.Add(-q.skew).Truncate(time.Minute); !minute.Equal(q.window) {
		q.window, q.used = minute, 0
	}
	q.used++
	return q.used <= q.perMinute
}

// process is one who calls as fast as it may, a number of calls at once.
type process struct {
	gate             gate
	begins           time.Time
	ready            []time.Time
	counted, refused int
}

// simulate lets processes call for some minutes, in steps of a hundredth of a
// second. A call takes 40 ms. It returns what each got in the last minutes.
func simulate(q *quota, processes []*process, minutes, last int) (counted []int, refused int) {
	const step, latency = 10 * time.Millisecond, 40 * time.Millisecond
	begin := time.Date(2026, 11, 29, 10, 0, 20, 0, time.UTC)
	for _, p := range processes {
		p.begins = begin.Add(p.begins.Sub(time.Time{}))
	}
	type flying struct {
		p       *process
		slot    int
		probe   bool
		allowed bool
		lands   time.Time
	}
	var wire []flying
	end := begin.Add(time.Duration(minutes) * time.Minute)
	for now := begin; now.Before(end); now = now.Add(step) {
		if now.Equal(end.Add(-time.Duration(last) * time.Minute)) {
			for _, p := range processes {
				p.counted, p.refused = 0, 0
			}
		}
		var still []flying
		for _, call := range wire {
			if call.lands.After(now) {
				still = append(still, call)
				continue
			}
			what := outcomeThrottled
			if call.allowed {
				what = outcomeCounted
				call.p.counted++
			} else {
				call.p.refused++
			}
			call.p.gate.report(now, call.probe, what, time.Second)
			call.p.ready[call.slot] = now
		}
		wire = still
		for offset := range processes {
			// Nobody is always the first.
			p := processes[(offset+int(now.UnixMilli()/10))%len(processes)]
			for slot, ready := range p.ready {
				if now.Before(p.begins) || ready.After(now) {
					continue
				}
				probe, wait := p.gate.admit(now)
				if wait > 0 {
					p.ready[slot] = now.Add(wait)
					continue
				}
				p.ready[slot] = end
				wire = append(wire, flying{p, slot, probe, q.allow(now), now.Add(latency)})
			}
		}
	}
	for _, p := range processes {
		counted = append(counted, p.counted)
		refused += p.refused
	}
	return counted, refused
}

func TestProcessesOnOneQuotaGetFairShares(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		quota  quota
		begins []time.Duration
		// share is the least part of an equal share that each gets.
		share float64
	}{
		"alone":                   {quota{perMinute: 100}, []time.Duration{0}, 0.95},
		"alone, a large quota":    {quota{perMinute: 1000}, []time.Duration{0}, 0.95},
		"alone, another clock":    {quota{perMinute: 100, skew: 7 * time.Second}, []time.Duration{0}, 0.9},
		"three at once":           {quota{perMinute: 100}, []time.Duration{0, 0, 0}, 0.8},
		"one after the other":     {quota{perMinute: 100}, []time.Duration{0, 30 * time.Second, 95 * time.Second}, 0.7},
		"one comes when all is":   {quota{perMinute: 100}, []time.Duration{0, 0, 3 * time.Minute}, 0.7},
		"three on a large quota":  {quota{perMinute: 600}, []time.Duration{0, 10 * time.Second, 70 * time.Second}, 0.6},
		"three with another time": {quota{perMinute: 100, skew: 20 * time.Second}, []time.Duration{0, 0, 90 * time.Second}, 0.6},
		"ten":                     {quota{perMinute: 100}, make([]time.Duration, 10), 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var processes []*process
			for _, after := range test.begins {
				// As many calls at once as Terraform makes.
				processes = append(processes, &process{begins: time.Time{}.Add(after), ready: make([]time.Time, 10)})
			}
			const last = 10
			counted, refused := simulate(&test.quota, processes, 20, last)
			total := 0
			fair := float64(test.quota.perMinute*last) / float64(len(processes))
			for index, got := range counted {
				total += got
				if float64(got) < test.share*fair {
					t.Errorf("process %d got %d calls through, an equal share is %.0f: %v", index, got, fair, counted)
				}
			}
			if part := float64(refused) / float64(refused+total); part > 0.15 {
				t.Errorf("%d of %d calls were refused", refused, refused+total)
			}
			if used := float64(total) / float64(test.quota.perMinute*last); used < 0.85 {
				t.Errorf("%.0f %% of the quota was used", used*100)
			}
			t.Logf("%v counted, %d refused", counted, refused)
		})
	}
}

func TestALimitIsForgottenWhenNobodyIsRefusedAnyMore(t *testing.T) {
	t.Parallel()
	p := &process{ready: make([]time.Time, 10)}
	q := &quota{perMinute: 50}
	simulate(q, []*process{p}, 3, 1)
	if p.gate.limit == 0 || p.gate.limit > 70 {
		t.Fatalf("the limit is %.0f", p.gate.limit)
	}
	// The others have gone.
	now := p.gate.window
	for range 12 {
		now = now.Add(time.Minute)
		for second := range 60 {
			at := now.Add(time.Duration(second) * time.Second)
			for {
				probe, wait := p.gate.admit(at)
				if wait > 0 || p.gate.sent > 5000 {
					break
				}
				p.gate.report(at, probe, outcomeCounted, 0)
			}
		}
	}
	if p.gate.limit != 0 && p.gate.limit < 1000 {
		t.Errorf("the limit is still %.0f", p.gate.limit)
	}
}

func TestTheUsersBoundHoldsForEachActionAndMinute(t *testing.T) {
	t.Parallel()
	const most = 5
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	skipping := newSkippingClock()
	client := clientOf(t, s, func(config *Config) { config.Clock, config.MaxRequestsPerMinute = skipping, most })
	for range 12 {
		if _, err := client.Zones(soon(t), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := client.CallerIdentity(soon(t)); err != nil {
			t.Fatal(err)
		}
	}
	// Both actions have bounds of their own, and wait for the same two minutes.
	waits := skipping.waited()
	if len(waits) != 2 || waits[0] != 18*time.Second || waits[1] != time.Minute {
		t.Errorf("waited %v", waits)
	}
	if _, err := New(Config{Credentials: StaticCredentials("a", "b", ""), MaxRequestsPerMinute: -1}); err == nil {
		t.Error("a bound below zero was taken")
	}
}

func TestAWaitForTheNextMinuteEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		refuse(w, 400, "Throttling.User", "slow down")
	})
	standing := testclock.NewFakeClock(time.Now())
	client := clientOf(t, s, func(config *Config) { config.Clock = standing })
	ctx, cancel := context.WithCancel(soon(t))
	ended := make(chan error, 1)
	go func() {
		_, err := client.Zones(ctx, "")
		ended <- err
	}()
	eventually(t, "it waits", standing.HasWaiters)
	cancel()
	var failure *Error
	if err := <-ended; !errors.Is(err, context.Canceled) || !errors.As(err, &failure) || failure.Code != "Throttling.User" {
		t.Errorf("%v", err)
	}
	if s.count("DescribeZones") != 1 {
		t.Errorf("%d calls", s.count("DescribeZones"))
	}
}

// While the gate is closed, one call finds out whether it is open again, and not
// all that wait.
func TestOneCallProbesForAllThatWait(t *testing.T) {
	t.Parallel()
	g := &gate{}
	now := time.Date(2026, 11, 29, 10, 0, 42, 0, time.UTC)
	for range 10 {
		if _, wait := g.admit(now); wait != 0 {
			t.Fatal("held before any refusal")
		}
	}
	for range 10 {
		g.report(now, false, outcomeThrottled, time.Second)
	}
	if _, wait := g.admit(now); wait != 19*time.Second {
		t.Fatalf("waits %s", wait)
	}
	now = now.Add(19 * time.Second)
	if probe, wait := g.admit(now); !probe || wait != 0 {
		t.Fatalf("no probe: %s", wait)
	}
	if probe, wait := g.admit(now); probe || wait != probePatience {
		t.Fatalf("another probe: %s", wait)
	}
	// A probe of which nothing is learned makes room for another.
	g.report(now, true, outcomeUnknown, 0)
	if probe, _ := g.admit(now); !probe {
		t.Fatal("no other probe")
	}
	g.report(now, true, outcomeThrottled, 0)
	if _, wait := g.admit(now); wait != firstProbePause {
		t.Fatalf("waits %s", wait)
	}
	now = now.Add(firstProbePause)
	if probe, _ := g.admit(now); !probe {
		t.Fatal("no third probe")
	}
	g.report(now, true, outcomeCounted, 0)
	if probe, wait := g.admit(now.Add(time.Minute)); probe || wait != 0 {
		t.Fatalf("closed after a probe that was let through: %s", wait)
	}
}

func TestManyCallersUnderOneLimitEndWithoutARace(t *testing.T) {
	t.Parallel()
	var mutex sync.Mutex
	left := 7
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		mutex.Lock()
		defer mutex.Unlock()
		if left--; left < 0 && left > -4 {
			refuse(w, 400, "Throttling.Api", "slow down")
			return
		}
		accept(w)
	})
	client := clientOf(t, s)
	var group sync.WaitGroup
	for range 30 {
		group.Go(func() {
			if _, err := client.Zones(soon(t), ""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
