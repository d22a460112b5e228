package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// measured runs measurements and returns their lines by name.
func measured(t *testing.T, options Options) map[string]float64 {
	t.Helper()

	if _, err := terraformcli.Find(t.Context(), os.Environ()); errors.Is(err, terraformcli.ErrNotFound) {
		t.Skipf("this test runs the real command, and make test does not start without one: %v", err)
	}

	var output bytes.Buffer

	options.Factor, options.Output, options.Progress = 100, &output, io.Discard

	if err := Run(t.Context(), options); err != nil {
		t.Fatal(err)
	}

	lines := map[string]float64{}

	for line := range strings.Lines(output.String()) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			// The table begins.
			break
		}

		value, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}

		lines[fields[0]] = value
	}

	return lines
}

func TestSmallFleetsAreMeasured(t *testing.T) {
	t.Parallel()

	lines := measured(t, Options{Sizes: []int{3}, Size: 3, Large: 40, LargePart: 15, Only: []string{"startup", "life", "large"}})

	for name, want := range map[string]float64{
		"create_mutating_calls_per_machine_3": 1,
		// Every plan is one list; the first also marks what it found, in one call.
		"refresh_calls_per_3":       1,
		"first_refresh_calls_per_3": 2,
	} {
		if lines[name] != want {
			t.Errorf("%s is %v, want %v", name, lines[name], want)
		}
	}

	// Forty machines that were generated are the state's machines: a plan finds nothing
	// to do, and marks those that it has not yet seen.
	if got := lines["refresh_calls_per_40"]; got < 1 || got > 3 {
		t.Errorf("a plan of the generated state took %v calls", got)
	}

	for _, name := range []string{"startup_to_schema_ms", "plan_cpu_ratio_3", "plan_wall_s_3", "destroy_calls_per_machine_3", "plan_cpu_ratio_40", "terraform_data_plan_cpu_s_3"} {
		if lines[name] <= 0 {
			t.Errorf("%s is %v", name, lines[name])
		}
	}
}

func TestAMeasurementThatDoesNotExistIsRefused(t *testing.T) {
	t.Parallel()

	err := Run(context.Background(), Options{Only: []string{"luck"}, Output: io.Discard, Progress: io.Discard})
	if err == nil || !strings.Contains(err.Error(), `"luck"`) || !strings.Contains(err.Error(), "quota") {
		t.Errorf("%v", err)
	}
}

func TestAReportTellsWhatIsAboveItsBound(t *testing.T) {
	t.Parallel()

	var output bytes.Buffer

	report := NewReport(&output, io.Discard)
	if err := report.add(Line{"free", 7, "calls", 0}, Line{"kept", 1.1, "calls", 1.1}, Line{"above", 1.234567, "ratio", 1.2}); err != nil {
		t.Fatal(err)
	}

	if got := output.String(); got != "free 7 calls\nkept 1.100 calls\nabove 1.235 ratio\n" {
		t.Errorf("printed %q", got)
	}

	missed := report.Missed()
	if len(missed) != 1 || missed[0].Name != "above" {
		t.Errorf("missed are %v", missed)
	}

	if err := report.Table(); err != nil {
		t.Fatal(err)
	}

	if text := output.String(); strings.Count(text, "missed") != 1 || strings.Count(text, "met") != 1 {
		t.Errorf("the table is\n%s", text)
	}
}

func TestWhatAQuotaDictates(t *testing.T) {
	t.Parallel()

	for calls100, want := range map[int]float64{0: 0, 1: 0, 100: 0, 101: 1, 1000: 9, 1001: 10} {
		counted := calls{byAction: map[string]int{"RunInstances": calls100, "TagResources": 5}}
		if got := counted.quotaTime().Minutes(); got != want {
			t.Errorf("%d calls take %v minutes, want %v", calls100, got, want)
		}
	}
}
