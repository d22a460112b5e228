package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

const providerVersion = "0.1.0"

// The providers that are measured, as ServeReference takes them.
const (
	// ModeNaive asks for every machine by itself.
	ModeNaive = "naive"
	// ModeIdle does nothing.
	ModeIdle = "idle"
	// ModeVariable chooses between them.
	ModeVariable = "BENCH_PROVIDER_MODE"
)

// laboratory holds what all measurements use.
type laboratory struct {
	directory          string
	product, reference *terraformcli.Installation
	factor             float64
	// journal, where set, gets a line for each call.
	journal          io.Writer
	spaces, accounts int
}

// openLaboratory builds the product and the references. close removes all that was
// made.
func openLaboratory(ctx context.Context, options Options) (_ *laboratory, err error) {
	directory, err := os.MkdirTemp("", "machine-bench-")
	if err != nil {
		return nil, err
	}

	l := &laboratory{directory: directory, factor: options.Factor, journal: options.Calls}

	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()

	cli, err := terraformcli.Find(ctx, os.Environ())
	if err != nil {
		return nil, err
	}

	root, err := terraformcli.ModuleRoot(ctx, "")
	if err != nil {
		return nil, err
	}

	for name, installation := range map[string]**terraformcli.Installation{".": &l.product, "./internal/cmd/bench-provider": &l.reference} {
		place := filepath.Join(directory, "installation-"+filepath.Base(name))
		binary := filepath.Join(place, "build", "provider")

		if err := terraformcli.BuildPackage(ctx, root, name, binary, providerVersion); err != nil {
			return nil, err
		}

		if *installation, err = terraformcli.Install(ctx, cli, terraformcli.MachineProvider(), binary, providerVersion, place); err != nil {
			return nil, err
		}
	}

	return l, nil
}

func (l *laboratory) close() error { return os.RemoveAll(l.directory) }

// space is a workspace for a configuration.
func (l *laboratory) space(ctx context.Context, configuration string, variables map[string]string) (terraformcli.Workspace, error) {
	l.spaces++
	directory := filepath.Join(l.directory, fmt.Sprintf("space-%d", l.spaces))

	if err := write(directory, configuration); err != nil {
		return terraformcli.Workspace{}, err
	}

	workspace := l.product.Workspace(directory, variables)
	_, err := workspace.Run(ctx, "init")

	return workspace, err
}

// twin is a workspace of the same configuration and state with another provider.
func (l *laboratory) twin(ctx context.Context, of terraformcli.Workspace, mode string) (terraformcli.Workspace, error) {
	l.spaces++
	directory := filepath.Join(l.directory, fmt.Sprintf("space-%d", l.spaces))

	if err := os.MkdirAll(directory, 0o700); err != nil {
		return terraformcli.Workspace{}, err
	}

	for _, name := range []string{"main.tf", "terraform.tfstate"} {
		text, err := os.ReadFile(filepath.Join(of.Directory, name)) //nolint:gosec // G304: a workspace of the laboratory's own.
		if err != nil {
			return terraformcli.Workspace{}, err
		}

		if err := os.WriteFile(filepath.Join(directory, name), text, 0o600); err != nil { //nolint:gosec // G703: the same.
			return terraformcli.Workspace{}, err
		}
	}

	variables := map[string]string{ModeVariable: mode}
	for name, value := range of.Variables {
		variables[name] = value
	}

	workspace := l.reference.Workspace(directory, variables)
	_, err := workspace.Run(ctx, "init")

	return workspace, err
}

// run runs a command and returns what it took.
func run(ctx context.Context, workspace terraformcli.Workspace, arguments ...string) (cost, error) {
	process, err := workspace.Start(ctx, arguments...)
	if err != nil {
		return cost{}, err
	}

	stop := watchMemory(process.PID())
	result, err := process.Wait()

	return cost{Result: result, peak: stop()}, err
}

// cost is what a command took.
type cost struct {
	terraformcli.Result

	// peak is the most memory that the provider held, in bytes; 0 where the system does
	// not tell.
	peak int64
}
