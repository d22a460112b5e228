package crashtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// Laboratory is where points are run: a provider that is built and initialized
// once, and a server for remote states. Its methods may be called by many at once.
type Laboratory struct {
	installation *terraformcli.Installation
	directory    string
	states       *stateServer
	clockFactor  float64
	// beginning is how long a command takes until its provider makes its first call.
	beginning time.Duration
	// variables are set for every command, beside those that point at the cloud.
	variables map[string]string
}

// LaboratoryOptions configures a Laboratory.
type LaboratoryOptions struct {
	// Directory is where everything is put; it must exist.
	Directory string
	// Provider is the provider binary.
	Provider string
	// ClockFactor is how many seconds pass for cloud and provider in one second.
	ClockFactor float64
	// Variables are set for every command.
	Variables map[string]string
}

const providerVersion = "0.0.1"

// OpenLaboratory installs the provider for the command that the environment names
// (see [terraformcli.Find]) and initializes a working directory for each backend.
// Close it after use.
func OpenLaboratory(ctx context.Context, options LaboratoryOptions) (*Laboratory, error) {
	cli, err := terraformcli.Find(ctx, os.Environ())
	if err != nil {
		return nil, err
	}

	installation, err := terraformcli.Install(ctx, cli, terraformcli.MachineProvider(), options.Provider, providerVersion,
		filepath.Join(options.Directory, "installation"))
	if err != nil {
		return nil, err
	}

	states, err := startStateServer(ctx)
	if err != nil {
		return nil, err
	}

	laboratory := &Laboratory{
		installation: installation, directory: options.Directory, states: states, clockFactor: options.ClockFactor, variables: options.Variables,
	}

	for _, remote := range []bool{false, true} {
		if err := laboratory.initialize(ctx, remote); err != nil {
			return nil, errors.Join(err, laboratory.Close())
		}
	}

	if err := laboratory.measure(ctx); err != nil {
		return nil, errors.Join(err, laboratory.Close())
	}

	return laboratory, nil
}

// measure finds out how long a command takes to begin.
func (l *Laboratory) measure(ctx context.Context) (err error) {
	t, err := l.newTrial(ctx, "create", Setting{})
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, t.close()) }()

	began := t.cloud.Now()

	if _, err := t.command(ctx, victimKey, step{t.scenario.victim.configuration, []string{"plan"}}); err != nil {
		return fmt.Errorf("a plan that measures how long commands take: %w", err)
	}

	if calls := t.cloud.Calls(); len(calls) > 0 {
		l.beginning = time.Duration(float64(calls[0].Time.Sub(began)) / l.clockFactor)
	}

	return nil
}

// Close ends the state server. The files are the caller's to remove.
func (l *Laboratory) Close() error { return l.states.close() }

// Slow implements [Place].
func (l *Laboratory) Slow() error {
	l.clockFactor /= slowdown

	return nil
}

// initialize runs init once for all working directories with this backend.
func (l *Laboratory) initialize(ctx context.Context, remote bool) error {
	directory := l.template(remote)
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}

	if err := os.WriteFile(filepath.Join(directory, configurationFile), []byte(configurationHeader(remote)), 0o600); err != nil {
		return err
	}

	workspace := l.installation.Workspace(directory, l.states.variables("template"))

	_, err := workspace.Run(ctx, "init")

	return err
}

func (l *Laboratory) template(remote bool) string {
	if remote {
		return filepath.Join(l.directory, "template-remote")
	}

	return filepath.Join(l.directory, "template-local")
}

const (
	configurationFile = "main.tf"
	lockFile          = ".terraform.lock.hcl"
	stateFile         = "terraform.tfstate"
)

// bench is the place of one trial.
type bench struct {
	laboratory *Laboratory
	name       string
	directory  string
	remote     bool
}

// bench makes an empty working directory that is initialized.
func (l *Laboratory) bench(setting Setting) (*bench, error) {
	directory, err := os.MkdirTemp(l.directory, "trial-")
	if err != nil {
		return nil, err
	}

	b := &bench{laboratory: l, name: filepath.Base(directory), directory: directory, remote: setting.RemoteState}

	lock, err := os.ReadFile(filepath.Join(l.template(setting.RemoteState), lockFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(directory, lockFile), lock, 0o600) //nolint:gosec // A directory of our own.
	}

	if err != nil {
		return nil, errors.Join(err, b.clear())
	}

	return b, nil
}

func (b *bench) clear() error {
	b.laboratory.states.forget(b.name)

	return os.RemoveAll(b.directory)
}

// workspace is the bench with what commands have to know of a cloud.
func (b *bench) workspace(variables map[string]string) terraformcli.Workspace {
	all := maps.Clone(b.laboratory.variables)
	if all == nil {
		all = map[string]string{}
	}

	maps.Copy(all, variables)

	all["TF_VAR_user_data"] = firstBootData
	// Commands are short, so that what is collected is not worth the time it takes: a
	// quarter of all that a run takes.
	all["GOGC"] = "off"
	// What init made is only read, and so is shared.
	all["TF_DATA_DIR"] = filepath.Join(b.laboratory.template(b.remote), ".terraform")

	if b.remote {
		maps.Copy(all, b.laboratory.states.variables(b.name))
	}

	return b.laboratory.installation.Workspace(b.directory, all)
}

func (b *bench) configure(text string) error {
	return os.WriteFile(filepath.Join(b.directory, configurationFile), []byte(configurationHeader(b.remote)+text), 0o600)
}

// saved is what is in state.
func (b *bench) saved() (savedState, error) {
	if b.remote {
		return readState(b.laboratory.states.state(b.name))
	}

	content, err := os.ReadFile(filepath.Join(b.directory, stateFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return savedState{}, fmt.Errorf("reading the state: %w", err)
	}

	return readState(content)
}
