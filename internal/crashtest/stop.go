package crashtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

const (
	// timesStopped is how often a fleet is asked to stop, and timesStoppedQuick how often
	// in the quick slice.
	timesStopped      = 50
	timesStoppedQuick = 4
	// promptly is how soon a command that is asked to stop has to end, once its last call
	// that changes something is answered. A machine that takes its time to begin a command
	// may take as much to end one.
	promptly = 2 * time.Second
	// sightSeconds is how long before the stop a call has to be made, on the cloud's clock,
	// for its answer to be known by then.
	sightSeconds = 10
)

// stopPoints ask a scenario to stop at calls that the seed picks among all its calls.
func stopPoints(scenario string, calls []Call, selection Selection) []Point {
	times := timesStopped
	if selection.Quick {
		times = timesStoppedQuick
	}

	random := rand.New(rand.NewPCG(selection.Seed, 0)) //nolint:gosec // It picks points, not secrets.

	var points []Point

	for _, at := range random.Perm(len(calls))[:min(times, len(calls))] {
		turn := len(points)
		points = append(points, Point{
			Scenario: scenario, Call: Call{Action: AnyCall, Ordinal: at + 1},
			Moment: []Moment{Before, After}[turn/2%2], Kill: []Kill{Interrupt, Terminate}[turn%2], Ending: Apply,
		})
	}

	return points
}

// judgeStop judges the end of a command that was asked to stop: it has to come soon
// after the last call that changes something, and every machine that was seen has to be
// in state.
func (t *trial) judgeStop() {
	last := t.letGoAt

	for _, call := range t.cloud.Calls() {
		if call.AccessKeyID == victimKey && Mutates(call.Action) {
			ago := float64(t.cloud.Now().Sub(call.Time)) / t.cloud.ClockFactor()

			if made := time.Now().Add(-time.Duration(ago)); made.After(last) {
				last = made
			}
		}
	}

	took := time.Since(last)
	t.verdict.StopSeconds = took.Seconds()

	if took > promptly+t.bench.laboratory.beginning {
		t.problem("the command ended %.1f s after its last change was answered", took.Seconds())
	}

	t.judgeSeen()
}

// judgeSeen wants what was seen before the stop to be in state.
func (t *trial) judgeSeen() {
	saved, err := t.bench.saved()
	if err != nil {
		t.problem("%v", err)

		return
	}

	for _, id := range t.seen() {
		if !slices.Contains(saved.machines, id) && t.alive(id) {
			t.problem("%s was seen before the stop, and is not in state", id)
		}
	}
}

// seen are the machines launched by the stopped command that it asked for by their id,
// and was told of, well before the stop.
func (t *trial) seen() []string {
	listed := map[string]time.Time{}

	for _, effect := range t.cloud.Journal() {
		if effect.Effect == "created" && effect.AccessKeyID == victimKey && !effect.Time.Before(t.begunAt) {
			listed[effect.InstanceID] = effect.Time.Add(time.Duration(t.point.Setting.UnlistedSeconds) * time.Second)
		}
	}

	var (
		found []string
		until = t.stoppedAt.Add(-sightSeconds * time.Second)
	)

	for _, call := range t.cloud.Calls() {
		if call.AccessKeyID != victimKey || call.Action != "DescribeInstances" || !call.Done || call.Time.After(until) {
			continue
		}

		for id, from := range listed {
			if !slices.Contains(found, id) && call.Time.After(from) && strings.Contains(fmt.Sprint(call.Parameters), id) {
				found = append(found, id)
			}
		}
	}

	slices.Sort(found)

	return found
}

func (t *trial) alive(id string) bool {
	for _, instance := range t.cloud.Instances() {
		if instance.ID == id {
			return !instance.Releasing
		}
	}

	return false
}
