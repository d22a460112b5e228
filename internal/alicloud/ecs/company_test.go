package ecs

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

// company lets callers of one kind join a flight one after the other.
type company struct {
	client *Client
	group  *group
	// ask makes the call for one machine, and joined is how many wait for it.
	ask    func(ctx context.Context, id string) error
	joined func() int
}

// send has so many callers join the flight, and returns a function that waits for
// their answers. Where they are the last that it waits for, it leaves with them.
func (c company) send(t *testing.T, callers int, last bool) func() {
	t.Helper()
	var waiting sync.WaitGroup
	for index, id := range instanceIDs(0, callers) {
		waiting.Go(func() {
			if err := c.ask(soon(t), id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		})
		if !last {
			eventually(t, "the caller joins", func() bool { return c.joined() == index+1 })
		}
	}
	return waiting.Wait
}

// Those who shared a call come back together, a while apart: the next call waits for
// them. Who has no company waits for it once, and not for long.
func TestACallWaitsForThoseWhoSharedTheLastOne(t *testing.T) {
	t.Parallel()
	const callers = 5
	for name, test := range map[string]struct {
		action  string
		company func(*Client) company
	}{
		"looks": {"DescribeInstances", func(client *Client) company {
			return company{
				client: client, group: client.instances.group,
				ask: func(ctx context.Context, id string) error {
					_, err := client.InstancesByID(ctx, "", []string{id})
					return err
				},
				joined: func() int {
					client.instances.mutex.Lock()
					defer client.instances.mutex.Unlock()
					if pending := client.instances.pending[testRegion]; pending != nil {
						return pending.joined
					}
					return 0
				},
			}
		}},
		"deletions": {"DeleteInstances", func(client *Client) company {
			return company{
				client: client, group: client.changes.group,
				ask:    func(ctx context.Context, id string) error { return client.DeleteInstances(ctx, "", []string{id}) },
				joined: func() int { return joined(client) },
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, r *http.Request, action string, _ int) {
				if action == "DescribeInstances" {
					listed(w, r)
					return
				}
				accept(w)
			})
			c := test.company(clientOf(t, s))
			meeting, waits := testclock.NewFakeClock(time.Now()), testclock.NewFakeClock(time.Now())
			c.group.clock, c.group.waits = meeting, waits
			pauses := func(over func() bool) {
				eventually(t, "the pauses are over", func() bool {
					meeting.Step(changePause)
					return over()
				})
			}
			calls := func(want int) {
				t.Helper()
				if got := s.count(test.action); got != want {
					t.Fatalf("%d calls, want %d", got, want)
				}
			}

			// All of them are here before the first pause ends.
			first := c.send(t, callers, false)
			pauses(func() bool { return s.count(test.action) == 1 })
			first()

			// One is here, and its pauses pass: it waits until the others are.
			alone := c.send(t, 1, false)
			pauses(waits.HasWaiters)
			calls(1)
			rest := c.send(t, callers-1, true)
			alone()
			rest()
			calls(2)

			// One is here, and the others never come.
			alone = c.send(t, 1, false)
			pauses(waits.HasWaiters)
			calls(2)
			waits.Step(companyPatience)
			alone()
			calls(3)

			// Once more, as that one may only have come too late for the others.
			alone = c.send(t, 1, false)
			pauses(waits.HasWaiters)
			waits.Step(companyPatience)
			alone()
			calls(4)

			// Then it is not waited for any more.
			alone = c.send(t, 1, false)
			pauses(func() bool { return s.count(test.action) == 5 })
			alone()
			if waits.HasWaiters() {
				t.Error("who is used to be alone waits for company")
			}
		})
	}
}

// Whoever waits for company still leaves at once.
func TestWhoWaitsForCompanyLeavesAtOnce(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	client := clientOf(t, s)
	waits := testclock.NewFakeClock(time.Now())
	client.changes.waits = waits
	client.changes.shared[changeKey{"DeleteInstances", testRegion, ""}] = [2]int{2, 0}
	ctx, cancel := context.WithCancel(soon(t))
	ended := make(chan error, 1)
	go func() { ended <- client.DeleteInstances(ctx, "", []string{"i-1"}) }()
	eventually(t, "it waits", waits.HasWaiters)
	cancel()
	if err := <-ended; err == nil || s.count("DeleteInstances") != 0 {
		t.Errorf("ended with %v after %d calls", err, s.count("DeleteInstances"))
	}
}
