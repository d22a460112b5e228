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
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// collectAt lets the collector run when the heap has grown by half, not when it has doubled: what is kept for inspection, such as a
// hundred thousand calls, shall not cost twice its size.
const collectAt = 50

func main() {
	debug.SetGCPercent(collectAt)
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
	rules := flags.String("rules", "", "`file` with faults: a JSON list of rules that are in force from the start")
	state := flags.String("state", "", "`file` that keeps everything from one run to the next")
	tls := flags.Bool("tls", false, "speak HTTPS, with a certificate that it makes")
	caFile := flags.String("ca-file", "", "`file` to write the certificate of the authority to, with --tls; a temporary one if empty")
	metadata := flags.String("metadata", "", "`address` of the instance metadata service; none if empty")
	printEnv := flags.Bool("print-env", false, "print only the export lines, for eval, and the log to standard error")
	quiet := flags.Bool("quiet", false, "no line per call")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *caFile != "" && !*tls {
		return errors.New("--ca-file needs --tls")
	}
	options := ecsemulator.Options{
		Address: *address, ControlAddress: *control, ClockFactor: *factor, TLS: *tls, CAFile: *caFile, MetadataAddress: *metadata,
		StateFile: *state,
	}
	if !*quiet {
		options.Logger = slog.New(slog.NewTextHandler(stderr, nil))
	}
	if *catalogue != "" {
		read, err := readFile(*catalogue, ecsemulator.ReadCatalogue)
		if err != nil {
			return err
		}
		options.Catalogue = read
	}
	if *rules != "" {
		read, err := readFile(*rules, ecsemulator.ReadRules)
		if err != nil {
			return err
		}
		options.Rules = read
	}
	server, err := ecsemulator.Start(ctx, options)
	if err != nil {
		return err
	}
	announce(stdout, server, *printEnv, *state)
	<-ctx.Done()
	return server.Close()
}

func readFile[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	var nothing T
	file, err := os.Open(path)
	if err != nil {
		return nothing, err
	}
	defer file.Close()
	content, err := read(file)
	if err != nil {
		return nothing, fmt.Errorf("%s: %w", path, err)
	}
	return content, nil
}

func announce(out io.Writer, server *ecsemulator.Server, onlyEnv bool, state string) {
	if !onlyEnv {
		fmt.Fprintf(out, "# ECS, VPC and STS API: %s\n# control API:          %s\n", server.URL(), server.ControlURL())
		if server.CAFile() != "" {
			fmt.Fprintf(out, "# CA certificate:       %s\n", server.CAFile())
		}
		if server.MetadataURL() != "" {
			fmt.Fprintf(out, "# instance metadata:    %s\n", server.MetadataURL())
		}
		fmt.Fprintf(out, "# page to look at:      %s/\n# To point clients at it:\n", server.ControlURL())
	}
	for _, line := range server.Environment() {
		key, value, _ := strings.Cut(line, "=")
		fmt.Fprintf(out, "export %s=%s\n", key, value)
	}
	switch {
	case onlyEnv:
	case state != "":
		fmt.Fprintf(out, "# Ctrl-C stops it; %s keeps everything.\n", state)
	default:
		fmt.Fprintln(out, "# Ctrl-C stops it and forgets everything.")
	}
}
