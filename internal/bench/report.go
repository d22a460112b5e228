package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Line is one measurement.
type Line struct {
	// Name is in snake_case and is kept from version to version.
	Name  string
	Value float64
	Unit  string
	// Most is what the value has to stay below or at; 0 is no bound.
	Most float64
}

// Missed reports whether the value is above its bound.
func (l Line) Missed() bool { return l.Most > 0 && l.Value > l.Most }

// Report collects lines and prints each as it comes.
type Report struct {
	output, progress io.Writer
	lines            []Line
}

// NewReport returns a report that prints to output, and what led to it to progress.
func NewReport(output, progress io.Writer) *Report {
	return &Report{output: output, progress: progress}
}

// note tells what led to a measurement.
func (r *Report) note(format string, arguments ...any) {
	// Who does not want to know of it loses nothing.
	_, _ = fmt.Fprintf(r.progress, "  "+format+"\n", arguments...)
}

// Add prints a line as "name value unit".
func (r *Report) Add(line Line) error {
	r.lines = append(r.lines, line)
	_, err := fmt.Fprintf(r.output, "%s %s %s\n", line.Name, number(line.Value), line.Unit)

	return err
}

// Missed returns the lines whose values are above their bounds.
func (r *Report) Missed() []Line {
	var missed []Line

	for _, line := range r.lines {
		if line.Missed() {
			missed = append(missed, line)
		}
	}

	return missed
}

// Table prints all lines as a table, with their bounds.
func (r *Report) Table() error {
	table := tabwriter.NewWriter(r.output, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(table, "\nmeasurement\tvalue\tunit\tat most\t"); err != nil {
		return err
	}

	for _, line := range r.lines {
		bound, verdict := "", ""

		switch {
		case line.Missed():
			bound, verdict = number(line.Most), "missed"
		case line.Most > 0:
			bound, verdict = number(line.Most), "met"
		}

		if _, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", line.Name, number(line.Value), line.Unit, bound, verdict); err != nil {
			return err
		}
	}

	return table.Flush()
}

// number prints whole numbers as such and others with as many digits as say
// something.
func number(value float64) string {
	switch {
	case value == float64(int64(value)):
		return fmt.Sprintf("%d", int64(value))
	case value >= 100:
		return fmt.Sprintf("%.0f", value)
	case value >= 10:
		return fmt.Sprintf("%.1f", value)
	default:
		return fmt.Sprintf("%.3f", value)
	}
}
