// Command ecs-emulator runs the ECS emulator alone and prints the lines that point clients at it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "ecs-emulator:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("ecs-emulator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	address := flags.String("listen", "127.0.0.1:8510", "`address` of the API; port 0 takes a free one")
	control := flags.String("control", "127.0.0.1:8511", "`address` of the control API; port 0 takes a free one")
	factor := flags.Float64("clock-factor", 1, "virtual `seconds` that pass in one second")
	catalogue := flags.String("catalogue", "", "`file` with a catalogue in place of the built-in one")
	printEnv := flags.Bool("print-env", false, "print only the export lines, for eval, and the log to standard error")
	quiet := flags.Bool("quiet", false, "no line per call")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	options := ecsemulator.Options{Address: *address, ControlAddress: *control, ClockFactor: *factor}
	if !*quiet {
		options.Logger = slog.New(slog.NewTextHandler(stderr, nil))
	}
	if *catalogue != "" {
		read, err := readCatalogue(*catalogue)
		if err != nil {
			return err
		}
		options.Catalogue = read
	}
	server, err := ecsemulator.Start(ctx, options)
	if err != nil {
		return err
	}
	announce(stdout, server, *printEnv)
	<-ctx.Done()
	return server.Close()
}

func readCatalogue(path string) (*ecsemulator.Catalogue, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ecsemulator.ReadCatalogue(file)
}

func announce(out io.Writer, server *ecsemulator.Server, onlyEnv bool) {
	if !onlyEnv {
		fmt.Fprintf(out, "# ECS, VPC and STS API: http://%s\n# control API:          %s\n# To point clients at it:\n", server.Endpoint(), server.ControlURL())
	}
	for _, line := range server.Environment() {
		key, value, _ := strings.Cut(line, "=")
		fmt.Fprintf(out, "export %s=%s\n", key, value)
	}
	if !onlyEnv {
		fmt.Fprintln(out, "# Ctrl-C stops it and forgets everything.")
	}
}
