// Command bench measures what the provider costs, beside references in the same
// run: one "name value unit" line for each measurement, then a table. It ends with
// status 1 if a value is above its bound. See docs/benchmarks.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/terraform-machine/terraform-provider-machine/internal/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])

	stop()

	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, bench.ErrMissed):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, arguments []string) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	factor := flags.Float64("factor", 50, "how many seconds pass for emulator and provider in one second")
	sizes := flags.String("sizes", "10,100,1000", "sizes of the fleets whose lives are measured")
	size := flags.Int("size", 1000, "size of the fleet of all other measurements")
	large := flags.Int("large", 10000, "size of the generated state of the measurement large")
	only := flags.String("only", "", "comma-separated measurements to make, of "+strings.Join(bench.Names(), ", "))

	calls := flags.String("calls", "", "file to write each call to: step, second, action, machines named, code")

	if err := flags.Parse(arguments); err != nil {
		return err
	}

	options := bench.Options{Factor: *factor, Size: *size, Large: *large, Output: os.Stdout, Progress: os.Stderr}

	for text := range strings.SplitSeq(*sizes, ",") {
		number, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || number < 1 {
			return fmt.Errorf("-sizes: %q is no size", text)
		}

		options.Sizes = append(options.Sizes, number)
	}

	if *only != "" {
		options.Only = strings.Split(*only, ",")
	}

	if *calls != "" {
		file, err := os.Create(*calls)
		if err != nil {
			return err
		}

		defer func() { err = errors.Join(err, file.Close()) }()

		options.Calls = file
	}

	return bench.Run(ctx, options)
}
