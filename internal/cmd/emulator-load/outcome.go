package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// notes are what one client saw.
type notes struct {
	latencies map[string][]time.Duration
	surprises map[string]int
}

func newNotes() notes {
	return notes{latencies: map[string][]time.Duration{}, surprises: map[string]int{}}
}

func (n notes) add(action string, took time.Duration) {
	n.latencies[action] = append(n.latencies[action], took)
}

func (n notes) unwanted(what string) { n.surprises[what]++ }

// outcome is what all clients saw.
type outcome struct {
	notes
	took time.Duration
}

func gather(users []*user, took time.Duration) *outcome {
	o := &outcome{notes: newNotes(), took: took}
	for _, u := range users {
		for action, latencies := range u.client.notes.latencies {
			o.latencies[action] = append(o.latencies[action], latencies...)
		}
		for what, times := range u.client.notes.surprises {
			o.surprises[what] += times
		}
	}
	return o
}

// compare asks the emulator whether it saw the same: as many calls of each action, and in the end the machines of the beginning.
func (o *outcome) compare(ctx context.Context, control *ecsemulator.ControlClient, machines int) error {
	counts, err := control.Counts(ctx)
	if err != nil {
		return err
	}
	for action, latencies := range o.latencies {
		if counts[action] != len(latencies) {
			o.unwanted(fmt.Sprintf("the emulator counted %d calls of %s, the clients %d", counts[action], action, len(latencies)))
		}
	}
	if err := control.Step(ctx, time.Hour); err != nil {
		return err
	}
	left, err := control.Instances(ctx)
	if err != nil {
		return err
	}
	if len(left) != machines {
		o.unwanted(fmt.Sprintf("%d machines are left of %d", len(left), machines))
	}
	return nil
}

// verdict is an error if anything went otherwise than wanted.
func (o *outcome) verdict() error {
	var problems []error
	for _, what := range slices.Sorted(maps.Keys(o.surprises)) {
		problems = append(problems, fmt.Errorf("%s (%d times)", what, o.surprises[what]))
	}
	return errors.Join(problems...)
}

// print tells the latencies of each action and of all.
func (o *outcome) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "action\tcalls\tp50\tp95\tp99\tmost\t")
	var all []time.Duration
	for _, action := range slices.Sorted(maps.Keys(o.latencies)) {
		row(table, action, o.latencies[action])
		all = append(all, o.latencies[action]...)
	}
	row(table, "all", all)
	_ = table.Flush() // what cannot be printed cannot be complained about either
	fmt.Fprintf(out, "%.0f calls a second\n", float64(len(all))/o.took.Seconds())
}

func row(out io.Writer, action string, latencies []time.Duration) {
	slices.Sort(latencies)
	at := func(share float64) time.Duration { return quantile(latencies, share).Round(10 * time.Microsecond) }
	fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\t%s\t\n", action, len(latencies), at(.5), at(.95), at(.99), at(1))
}

// quantile gives the value that a share of the sorted ones do not exceed, 0 of none.
func quantile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
