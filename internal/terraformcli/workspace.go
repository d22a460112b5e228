package terraformcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// killGrace is how long Wait goes on reading the output of a killed command
// before it gives up on a descendant that holds the pipes open.
const killGrace = 2 * time.Second

// passedOn are the variables that a command needs from the caller to find
// programs and temporary space. Nothing else of the caller's environment is seen.
func passedOn() []string {
	return []string{"PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG", "LC_ALL"}
}

// Workspace is a working directory with everything that a command run in it may
// know.
type Workspace struct {
	// CLI is the command that is run.
	CLI CLI
	// Directory holds the configuration and, unless a backend says otherwise,
	// the state.
	Directory string
	// Home stands in for the caller's home directory, so that credentials and
	// settings kept there are not found. It must exist.
	Home string
	// ConfigFile is the CLI configuration file; see [Installation.ConfigFile].
	ConfigFile string
	// Variables are set on top of the fixed ones, and override them: cloud
	// credentials, TF_LOG, TF_VAR_ and the like.
	Variables map[string]string

	// inherited replaces os.Environ as the source of passedOn, if not nil.
	inherited []string
}

// scratchWorkspace is an empty workspace in a temporary directory with an empty
// CLI configuration file; a missing one would be warned about. remove deletes it.
func scratchWorkspace(cli CLI) (workspace Workspace, remove func(), err error) {
	directory, err := os.MkdirTemp("", "terraformcli-")
	if err != nil {
		return Workspace{}, nil, err
	}

	configFile := filepath.Join(directory, "empty.tfrc")
	if err := os.WriteFile(configFile, nil, 0o600); err != nil {
		return Workspace{}, nil, errors.Join(err, os.RemoveAll(directory))
	}

	// What is left behind on failure is an empty directory in temporary space.
	remove = func() { _ = os.RemoveAll(directory) }

	return Workspace{CLI: cli, Directory: directory, Home: directory, ConfigFile: configFile}, remove, nil
}

// Result is what a finished command left behind.
type Result struct {
	// Arguments are the command's arguments, for messages.
	Arguments []string
	// Stdout and Stderr hold all that was written.
	Stdout, Stderr string
	// ExitCode is the exit status, -1 if a signal ended the command.
	ExitCode int
	// Elapsed is the wall time from start to end.
	Elapsed time.Duration
	// CPU is the processor time of the command and of the providers that it started
	// and waited for.
	CPU time.Duration
}

// ExitError says that a command ended with a status other than the expected
// ones. Its text holds the command's output.
type ExitError struct {
	Result Result
}

// Error names the command and its exit status, and shows its output.
func (e *ExitError) Error() string {
	return fmt.Sprintf("%s: exit status %d\n%s%s",
		strings.Join(e.Result.Arguments, " "), e.Result.ExitCode, e.Result.Stdout, e.Result.Stderr)
}

// Environment returns the complete environment of a command in this workspace,
// sorted, in the form of [os.Environ].
func (w Workspace) Environment() []string {
	inherited := w.inherited
	if inherited == nil {
		inherited = os.Environ()
	}

	variables := map[string]string{}
	for _, name := range passedOn() {
		if value := lookupVariable(inherited, name); value != "" {
			variables[name] = value
		}
	}

	maps.Copy(variables, map[string]string{
		"HOME":               w.Home,
		"TF_CLI_CONFIG_FILE": w.ConfigFile,
		"TF_DATA_DIR":        filepath.Join(w.Directory, ".terraform"),
		"TF_INPUT":           "0",
		"TF_CLI_ARGS":        "-no-color",
		"CHECKPOINT_DISABLE": "1",
	})
	maps.Copy(variables, w.Variables)

	environment := make([]string, 0, len(variables))
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		environment = append(environment, name+"="+variables[name])
	}

	return environment
}

// Run runs the command with the arguments and waits for its end. It returns the
// result whatever the exit status, and an *ExitError if the status is not 0. When
// ctx ends first, the command and all it started are killed and the error wraps
// the cause of ctx.
func (w Workspace) Run(ctx context.Context, arguments ...string) (Result, error) {
	process, err := w.Start(ctx, arguments...)
	if err != nil {
		return Result{Arguments: arguments, ExitCode: -1}, err
	}

	return process.Wait()
}

// Start starts the command in a process group of its own and returns at once.
// The caller must call Wait. When ctx ends, the whole group is killed.
func (w Workspace) Start(ctx context.Context, arguments ...string) (*Process, error) {
	process := &Process{ctx: ctx, arguments: arguments, started: time.Now()}

	command := exec.CommandContext(ctx, w.CLI.Path, arguments...)
	command.Dir = w.Directory
	command.Env = w.Environment()
	command.Stdout = &process.stdout
	command.Stderr = &process.stderr
	command.WaitDelay = killGrace
	leadProcessGroup(command)
	command.Cancel = func() error { return killProcessGroup(command.Process) }
	process.command = command

	if err := command.Start(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}

		return nil, fmt.Errorf("starting %s %s: %w", w.CLI.Path, strings.Join(arguments, " "), err)
	}

	return process, nil
}

// Process is a running command.
type Process struct {
	ctx            context.Context // What ends the command, as in os/exec.
	command        *exec.Cmd
	arguments      []string
	started        time.Time
	stdout, stderr bytes.Buffer
}

// PID returns the process id, which is the id of the process group too.
func (p *Process) PID() int {
	return p.command.Process.Pid
}

// Signal sends a signal to the command alone, not to its providers.
func (p *Process) Signal(signal os.Signal) error {
	return p.command.Process.Signal(signal)
}

// SignalGroup sends a signal to the command and to all that it started, as a
// terminal or a service manager does.
func (p *Process) SignalGroup(signal os.Signal) error {
	return signalProcessGroup(p.command.Process, signal)
}

// Wait waits for the end of the command; see [Workspace.Run] for what it returns.
func (p *Process) Wait() (Result, error) {
	err := p.command.Wait()
	result := Result{
		Arguments: p.arguments,
		Stdout:    p.stdout.String(),
		Stderr:    p.stderr.String(),
		ExitCode:  p.command.ProcessState.ExitCode(),
		Elapsed:   time.Since(p.started),
		CPU:       p.command.ProcessState.UserTime() + p.command.ProcessState.SystemTime(),
	}

	var exit *exec.ExitError

	switch {
	case err == nil:
		return result, nil
	case p.ctx.Err() != nil:
		return result, fmt.Errorf("%s was stopped: %w", strings.Join(p.arguments, " "), context.Cause(p.ctx))
	case errors.As(err, &exit):
		return result, &ExitError{Result: result}
	default:
		return result, fmt.Errorf("running %s: %w", strings.Join(p.arguments, " "), err)
	}
}
