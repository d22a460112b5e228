// Command crash runs the crash matrix: it kills the provider and the command that
// drives it at every API call, goes on as a user would, and compares the machines
// alive with the state. Its last line sums up; the exit status is 0 only if nothing
// leaked, doubled, was stolen or went wrong otherwise.
//
// A run that was cut off goes on where it was, as long as the provider is the same.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/terraform-machine/terraform-provider-machine/internal/crashtest"
)

// errUnhealed says that the harness ran and found something.
var errUnhealed = errors.New("not everything healed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)

	stop()

	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUnhealed), errors.Is(err, errUnseen): // What was printed has said it.
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(2)
	}
}

// settings are the flags.
type settings struct {
	quick    bool
	list     bool
	point    string
	scenario string
	where    string
	every    int
	parallel int
	factor   float64
	seed     uint64
	fault    string
	provider string
	progress string
}

func parse(arguments []string, stderr io.Writer) (settings, error) {
	var s settings

	flags := flag.NewFlagSet("crash", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&s.quick, "quick", false, "run the slice that takes under three minutes")
	flags.BoolVar(&s.list, "list", false, "list the points and run none")
	flags.StringVar(&s.point, "point", "", "run the one point of this `name`, and say what became of it")
	flags.StringVar(&s.scenario, "scenario", "", "run only these scenarios (`names`, separated by commas)")
	flags.IntVar(&s.every, "every", 1, "run about one point in `n`")
	flags.StringVar(&s.where, "where", "", "run only the points with the real `command`, only those in-process, or only the faults that have to be seen")
	flags.IntVar(&s.parallel, "parallel", 4, "run this `many` points with the real command at once; twice as many in process")
	flags.Float64Var(&s.factor, "clock-factor", 50, "virtual `seconds` that pass in one second; twice as many in process")
	flags.Uint64Var(&s.seed, "seed", 0, "what decides at which calls a fleet is stopped (a `number`); 0 takes it from the provider")
	flags.StringVar(&s.fault, "fault", "", "build a provider without the safeguard of this `name`; the status is then 0 only if that is found out")
	flags.StringVar(&s.provider, "provider", "", "use this provider binary (`file`) in place of a new build")
	flags.StringVar(&s.progress, "progress", "", "keep the progress in this `file`, and go on from it")

	if err := flags.Parse(arguments); err != nil {
		return s, err
	}

	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case !slices.Contains([]string{"", "command", "in-process", "faults"}, s.where):
		return s, fmt.Errorf("-where %q is none of command, in-process and faults", s.where)
	case s.point != "":
		// A wrong name is told before anything is built.
		if _, err := crashtest.ParsePoint(strings.TrimPrefix(s.point, crashtest.InProcessPrefix)); err != nil {
			return s, err
		}
	}

	return s, nil
}

func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) (err error) {
	settings, err := parse(arguments, stderr)
	if err != nil {
		return err
	}

	directory, err := os.MkdirTemp("", "crash-")
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()

	return runIn(ctx, directory, settings, stdout)
}

// runIn runs what the settings ask for; files go into the directory.
func runIn(ctx context.Context, directory string, settings settings, stdout io.Writer) (err error) {
	binary, build, err := buildProvider(ctx, directory, settings)
	if err != nil {
		return err
	}

	if settings.seed == 0 {
		hash := fnv.New64a()
		hash.Write([]byte(build))
		settings.seed = hash.Sum64()
	}

	if settings.progress == "" {
		settings.progress = filepath.Join(directory, "progress")
	}

	progress, err := crashtest.OpenProgress(settings.progress, build)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, progress.Close()) }()

	laboratory, err := crashtest.OpenLaboratory(ctx, crashtest.LaboratoryOptions{
		Directory: directory, Provider: binary, ClockFactor: settings.factor, Variables: faultVariables(settings),
	})
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, laboratory.Close()) }()

	inProcess, err := crashtest.OpenInProcess(2 * settings.factor)
	if err != nil {
		return err
	}

	if name, found := strings.CutPrefix(settings.point, crashtest.InProcessPrefix); found {
		return runPoint(ctx, inProcess, name, stdout)
	}

	if settings.point != "" {
		return runPoint(ctx, laboratory, settings.point, stdout)
	}

	// What the harness cannot see it does not find either.
	unseen := seeFaults(ctx, directory, settings, stdout)

	if settings.where == "faults" {
		return unseen
	}

	return errors.Join(unseen, runMatrix(ctx, []part{
		{
			place: laboratory, parallel: settings.parallel,
			points: func(selection crashtest.Selection) ([]crashtest.Point, error) {
				return crashtest.Points(ctx, selection, progress.Remember("", laboratory.Discover))
			},
		},
		{
			place: inProcess, parallel: 2 * settings.parallel, prefix: crashtest.InProcessPrefix,
			points: func(selection crashtest.Selection) ([]crashtest.Point, error) {
				return crashtest.PointsInProcess(ctx, selection, progress.Remember(crashtest.InProcessPrefix, inProcess.Discover))
			},
		},
	}, progress, settings, stdout))
}

// buildProvider builds the provider where none is given, and tells which build it is.
func buildProvider(ctx context.Context, directory string, settings settings) (binary, build string, err error) {
	binary = settings.provider

	if binary == "" {
		tags := ""
		if settings.fault != "" {
			tags = crashtest.FaultTag
		}

		binary = filepath.Join(directory, "provider")
		if err := crashtest.Build(ctx, binary, tags); err != nil {
			return "", "", err
		}
	}

	build, err = crashtest.BuildID(binary)

	return binary, build + " " + settings.fault, err
}

func faultVariables(settings settings) map[string]string {
	if settings.fault == "" {
		return nil
	}

	return map[string]string{crashtest.FaultVariable: settings.fault}
}

func runPoint(ctx context.Context, place crashtest.Place, name string, stdout io.Writer) error {
	point, err := crashtest.ParsePoint(name)
	if err != nil {
		return err
	}

	verdict, err := place.Run(ctx, point)
	if err != nil {
		return err
	}

	fmt.Fprintln(stdout, verdict)

	if !verdict.Good() {
		fmt.Fprint(stdout, verdict.History)

		return errUnhealed
	}

	return nil
}

// part is one half of the matrix: with the real command, or in this process.
type part struct {
	place    crashtest.Place
	parallel int
	prefix   string
	points   func(crashtest.Selection) ([]crashtest.Point, error)
}

func runMatrix(ctx context.Context, parts []part, progress *crashtest.Progress, settings settings, stdout io.Writer) error {
	selection := crashtest.Selection{Quick: settings.quick, Every: settings.every, Seed: settings.seed}
	if settings.scenario != "" {
		selection.Scenarios = strings.Split(settings.scenario, ",")
	}

	var whole crashtest.Summary

	for _, part := range parts {
		inProcess := part.prefix != ""
		// The provider in this process has all its safeguards.
		if inProcess && (settings.where == "command" || settings.fault != "") || !inProcess && settings.where == "in-process" {
			continue
		}

		selection.Parallel = part.parallel

		points, err := part.points(selection)
		if err != nil {
			return err
		}

		if settings.list {
			for _, point := range points {
				fmt.Fprintln(stdout, part.prefix+point.Name())
			}

			continue
		}

		runner := crashtest.Runner{Place: part.place, Prefix: part.prefix, Progress: progress, Parallel: part.parallel, Again: settings.fault == "", Output: stdout}

		summary, err := runner.Run(ctx, points)
		if err != nil {
			return err
		}

		whole.Merge(summary)
	}

	if settings.list {
		return nil
	}

	fmt.Fprintf(stdout, "seed=%d %s\n", settings.seed, whole.Details())
	fmt.Fprintln(stdout, whole.String())

	switch {
	case settings.fault != "" && whole.Good():
		return fmt.Errorf("nothing was found of a provider without its safeguard %q", settings.fault)
	case settings.fault == "" && !whole.Good():
		return errUnhealed
	default:
		return nil
	}
}
