// Command demo shows the provider at work, with no account and no network: it
// builds the provider, starts the ECS emulator on this machine, and has the real
// terraform or tofu run examples/quickstart from init to destroy. Each step says
// in one line what happened and which API calls it took. It ends with status 0
// only if every step did what it should.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

const (
	providerVersion = "0.1.0"
	traceFile       = "trace.log"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)

	stop()

	if err != nil {
		fmt.Fprintln(os.Stderr, "\nThe demo failed:", err)
		os.Exit(1)
	}
}

// run prepares and tells the whole story. Everything it makes is gone when it
// returns.
func run(ctx context.Context, output io.Writer) (err error) {
	directory, err := os.MkdirTemp("", "terraform-provider-machine-demo-")
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()

	began := time.Now()

	installation, err := terraformcli.BuildAndInstall(ctx, os.Environ(), providerVersion, filepath.Join(directory, "installation"))
	if err != nil {
		return err
	}

	root, err := terraformcli.ModuleRoot(ctx, "")
	if err != nil {
		return err
	}

	fmt.Fprintf(output, "build      the provider, for %s %s (%s)\n",
		installation.CLI.Product, installation.CLI.Version, seconds(time.Since(began)))

	account, err := openAccount(ctx)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, account.close()) }()

	fmt.Fprintf(output, "emulator   an ECS endpoint on %s; the account already has one machine, %s\n",
		account.endpoint(), account.existingID)

	began = time.Now()

	demo, err := newDemonstration(installation, account, filepath.Join(root, "examples", "quickstart"), directory)
	if err != nil {
		return err
	}

	if err := demo.tell(ctx, output); err != nil {
		return err
	}

	fmt.Fprintf(output, "\nAll of it held, in %s after the build. Nothing of it is left on this machine.\n", seconds(time.Since(began)))

	return nil
}

// demonstration is the story so far.
type demonstration struct {
	account   *account
	workspace terraformcli.Workspace
	// userData is the text that must not be found anywhere.
	userData *secretText
	// transcript is all that the commands printed.
	transcript strings.Builder
	// launched are the ids of the machines that apply made.
	launched []string
}

func newDemonstration(installation *terraformcli.Installation, account *account, example, directory string) (*demonstration, error) {
	work := filepath.Join(directory, "quickstart")
	if err := os.CopyFS(work, os.DirFS(example)); err != nil {
		return nil, fmt.Errorf("copying the example: %w", err)
	}

	userData, err := markUserData(filepath.Join(work, userDataFile))
	if err != nil {
		return nil, err
	}

	return &demonstration{
		account:   account,
		workspace: installation.Workspace(work, account.environment()),
		userData:  userData,
	}, nil
}

// step is one line of the story.
type step struct {
	name string
	// do runs the step and returns what happened, or why that is wrong.
	do func(context.Context) (string, error)
}

func (d *demonstration) tell(ctx context.Context, output io.Writer) error {
	for _, step := range d.steps() {
		d.account.beginStep()

		began := time.Now()

		happened, err := step.do(ctx)
		if err != nil {
			return fmt.Errorf("step %q: %w", step.name, err)
		}

		fmt.Fprintf(output, "%-10s %s\n%-10s %s, %s\n", step.name, happened, "", d.account.describeCalls(), seconds(time.Since(began)))
	}

	return nil
}

// run runs a command of the CLI and keeps what it printed.
func (d *demonstration) run(ctx context.Context, arguments ...string) (terraformcli.Result, error) {
	return d.runIn(ctx, d.workspace, arguments...)
}

// runTraced is run with everything logged into a file beside the state, for the
// search for secrets.
func (d *demonstration) runTraced(ctx context.Context, arguments ...string) (terraformcli.Result, error) {
	traced := d.workspace
	traced.Variables = maps.Clone(d.workspace.Variables)
	traced.Variables["TF_LOG"] = "TRACE"
	traced.Variables["TF_LOG_PATH"] = filepath.Join(d.workspace.Directory, traceFile)

	return d.runIn(ctx, traced, arguments...)
}

func (d *demonstration) runIn(ctx context.Context, workspace terraformcli.Workspace, arguments ...string) (terraformcli.Result, error) {
	result, err := workspace.Run(ctx, arguments...)
	d.transcript.WriteString(result.Stdout)
	d.transcript.WriteString(result.Stderr)

	return result, err
}

func seconds(elapsed time.Duration) string {
	return fmt.Sprintf("%.1f s", elapsed.Seconds())
}
