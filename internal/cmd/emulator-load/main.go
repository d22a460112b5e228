// Command emulator-load puts the ECS emulator, in a process of its own, under the load of many clients, and says how it bore it: the
// latency of each action, and the memory of the process. Its exit status is 0 only if no call met an error that was not asked for, the
// emulator counted the calls as the clients did, and its memory stayed within bounds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "emulator-load:", err)
		os.Exit(1)
	}
}

type settings struct {
	emulator string
	machines int
	clients  int
	duration time.Duration
	memory   int
}

func parse(arguments []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("emulator-load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.emulator, "emulator", "bin/ecs-emulator", "the `command` to put under load")
	flags.IntVar(&s.machines, "machines", 1000, "how many machines there are all the time")
	flags.IntVar(&s.clients, "clients", 64, "how many clients call at once")
	flags.DurationVar(&s.duration, "for", 20*time.Second, "how long")
	flags.IntVar(&s.memory, "memory", 150, "how many `MiB` the emulator may have at its peak")
	if err := flags.Parse(arguments); err != nil {
		return s, err
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case s.clients < 1 || s.machines < s.clients:
		return s, fmt.Errorf("%d clients need at least as many machines, not %d", s.clients, s.machines)
	case s.duration <= 0 || s.memory < 1:
		return s, errors.New("for and memory must be positive")
	}
	return s, nil
}

func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) (err error) {
	s, err := parse(arguments, stderr)
	if err != nil {
		return err
	}
	emulator, err := startEmulator(ctx, s.emulator, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, emulator.stop()) }()
	fmt.Fprintf(stdout, "%d machines, %d clients, %s of mixed calls\n", s.machines, s.clients, s.duration)
	outcome, err := load(ctx, s, emulator)
	if err != nil {
		return err
	}
	memory, err := emulator.memory(ctx)
	if err != nil {
		return err
	}
	outcome.print(stdout)
	fmt.Fprintf(stdout, "memory of the emulator: %d MiB at its peak, of %d\n", memory, s.memory)
	if memory > s.memory {
		err = fmt.Errorf("the emulator took %d MiB, more than %d", memory, s.memory)
	}
	return errors.Join(outcome.verdict(), err)
}
