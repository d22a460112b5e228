package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Options say what is measured.
type Options struct {
	// Factor is how many seconds pass for emulator and provider in one second.
	Factor float64
	// Sizes are the fleets of which refreshes are measured; Size is that of everything
	// else.
	Sizes []int
	Size  int
	// Large is the size of the generated state; 0 leaves it out.
	Large int
	// LargePart is how many machines one resource of the generated state has; 0 means 250.
	LargePart int
	// Only are the names of the measurements that are made; none means all.
	Only []string
	// Output gets lines and table, Progress what is being done.
	Output, Progress io.Writer
	// Calls, where set, gets a line for each call, to see where they go.
	Calls io.Writer
}

// ErrMissed says that all was measured, and something is above its bound.
var ErrMissed = errors.New("a measurement is above its bound")

// measurement is one part of the benchmark.
type measurement struct {
	name string
	// asked is set if it is only made where it is named.
	asked bool
	make  func(ctx context.Context, l *laboratory, r *Report, options Options) error
}

func measurements() []measurement {
	return []measurement{
		{name: "startup", make: measureStartup},
		{name: "life", make: measureLives},
		{name: "accepted", make: measureAccepted},
		{name: "readiness", make: measureReadiness},
		{name: "naive", make: measureNaive},
		{name: "quota", make: measureQuota},
		{name: "concurrent", make: measureConcurrent},
		{name: "large", asked: true, make: measureLarge},
	}
}

// Names are those of the measurements.
func Names() []string {
	var names []string
	for _, one := range measurements() {
		names = append(names, one.name)
	}

	return names
}

// Run measures and prints. Its error wraps ErrMissed where a bound was missed.
func Run(ctx context.Context, options Options) (err error) {
	for _, name := range options.Only {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("there is no measurement %q; there are %s", name, strings.Join(Names(), ", "))
		}
	}

	l, err := openLaboratory(ctx, options)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, l.close()) }()

	report := NewReport(options.Output, options.Progress)

	for _, one := range measurements() {
		if len(options.Only) == 0 && one.asked || len(options.Only) > 0 && !slices.Contains(options.Only, one.name) {
			continue
		}

		if _, err := fmt.Fprintf(options.Progress, "measuring %s\n", one.name); err != nil {
			return err
		}

		if err := one.make(ctx, l, report, options); err != nil {
			return fmt.Errorf("measuring %s: %w", one.name, err)
		}
	}

	if err := report.Table(); err != nil {
		return err
	}

	if missed := report.Missed(); len(missed) > 0 {
		var names []string
		for _, line := range missed {
			names = append(names, line.Name)
		}

		return fmt.Errorf("%w: %s", ErrMissed, strings.Join(names, ", "))
	}

	return nil
}

// add prints some lines.
func (r *Report) add(lines ...Line) error {
	for _, line := range lines {
		if err := r.Add(line); err != nil {
			return err
		}
	}

	return nil
}
