//go:build unix

package rpcserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// workspace is a directory in which the real CLI runs the tiny provider.
type workspace struct {
	cli, directory string
	variables      []string
}

// newWorkspace writes configuration and points the CLI's dev_overrides at this
// test binary.
func newWorkspace(t *testing.T, configuration string) *workspace {
	t.Helper()
	cli, err := exec.LookPath("terraform")
	if err != nil {
		if cli, err = exec.LookPath("tofu"); err != nil {
			t.Skip("neither terraform nor tofu is on PATH, and this test is about what they do")
		}
	}
	directory := t.TempDir()
	if err := os.Symlink(testBinary(t), filepath.Join(directory, "terraform-provider-tiny")); err != nil {
		t.Fatal(err)
	}
	write := func(name, content string) string {
		name = filepath.Join(directory, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write("main.tf", `terraform {
  required_providers {
    tiny = { source = "example/tiny" }
  }
}
`+configuration)
	cliConfiguration := write("cli.tfrc", fmt.Sprintf(
		"provider_installation {\n  dev_overrides { \"example/tiny\" = %q }\n  direct {}\n}\n", directory))
	return &workspace{cli: cli, directory: directory, variables: []string{
		"TF_CLI_CONFIG_FILE=" + cliConfiguration, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
	}}
}

// command returns a CLI command in its own process group.
func (w *workspace) command(t *testing.T, variables []string, arguments ...string) (*exec.Cmd, *lockedBuffer) {
	command := exec.CommandContext(t.Context(), w.cli, arguments...)
	command.Dir = w.directory
	command.Env = tinyEnvironment("serve", w.directory, append(variables, w.variables...)...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output := &lockedBuffer{}
	command.Stdout, command.Stderr = output, output
	return command, output
}

func (w *workspace) apply(t *testing.T, variables ...string) (*exec.Cmd, *lockedBuffer) {
	return w.command(t, variables, "apply", "-auto-approve", "-input=false", "-no-color")
}

func (w *workspace) entered() bool { return exists(filepath.Join(w.directory, "entered")) }

// values returns the values of all tiny_things in state.
func (w *workspace) values(t *testing.T) []string {
	t.Helper()
	var state struct {
		Resources []struct {
			Instances []struct {
				Status     string
				Attributes struct{ Value string }
			}
		}
	}
	content, err := os.ReadFile(filepath.Join(w.directory, "terraform.tfstate"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &state); err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, resource := range state.Resources {
		for _, instance := range resource.Instances {
			values = append(values, strings.TrimSpace(instance.Attributes.Value+" "+instance.Status))
		}
	}
	return values
}

const oneWaiting = `resource "tiny_thing" "one" { value = "wait" }`

func TestCLISIGTERMToTheWholeGroupIsAGracefulStop(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, oneWaiting)
	command, output := w.apply(t)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the create began", w.entered)
	if err := syscall.Kill(-command.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Errorf("an interrupted apply succeeded:\n%s", output)
	}
	if !strings.Contains(output.String(), waitCanceled) {
		t.Errorf("the provider did not live to answer:\n%s", output)
	}
}

func TestCLIKilledTerraformLeavesNoProviderBehind(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, oneWaiting)
	command, output := w.apply(t)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the create began", w.entered)
	// What the processes of the plan left is not the answer.
	ended := filepath.Join(w.directory, "ended")
	if err := os.RemoveAll(ended); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the provider ended", func() bool { return exists(ended) })
	if got := readFile(t, ended); got != ErrAbandoned.Error() {
		t.Errorf("Serve returned %q, want %q", got, ErrAbandoned)
	}
	if err := command.Wait(); err == nil {
		t.Errorf("a killed apply succeeded:\n%s", output)
	}
}

func TestCLIAPanicFailsOneResourceOnly(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `
resource "tiny_thing" "all" {
  for_each = toset(["panic", "index", "fine", "well"])
  value    = each.key
}`)
	command, output := w.apply(t)
	if err := command.Run(); err == nil {
		t.Errorf("an apply with a panic succeeded:\n%s", output)
	}
	text := output.String()
	if got := strings.Count(text, "The provider panicked in ApplyResourceChange of tiny_thing"); got != 2 {
		t.Errorf("%d panics were told, want 2:\n%s", got, text)
	}
	if strings.Contains(text, secret) || strings.Contains(text, "Plugin did not respond") {
		t.Errorf("the output should tell neither the panic value nor a dead plugin:\n%s", text)
	}
	if got := fmt.Sprint(w.values(t)); got != "[fine well]" {
		t.Errorf("state holds %s, want [fine well] and nothing tainted", got)
	}
}

func TestCLIShowsSDKTraceLinesWhenAsked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variables []string
		sdk, own  bool
	}{
		"TF_LOG=TRACE":          {variables: []string{"TF_LOG=TRACE"}, sdk: true, own: true},
		"TF_LOG_PROVIDER=TRACE": {variables: []string{"TF_LOG_PROVIDER=TRACE"}, sdk: true, own: true},
		"TF_LOG_PROVIDER=INFO":  {variables: []string{"TF_LOG_PROVIDER=INFO"}, own: true},
		"no variable":           {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, `resource "tiny_thing" "one" { value = "fine" }`)
			command, output := w.apply(t, test.variables...)
			if err := command.Run(); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if got := strings.Contains(output.String(), "Sending request downstream"); got != test.sdk {
				t.Errorf("SDK trace lines are shown: %v, want %v", got, test.sdk)
			}
			if got := strings.Contains(output.String(), ownLine); got != test.own {
				t.Errorf("the provider's own line is shown: %v, want %v", got, test.own)
			}
		})
	}
}

func TestCLIReattachesToADebuggedProvider(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `resource "tiny_thing" "one" { value = "fine" }`)
	debugged := exec.CommandContext(t.Context(), testBinary(t))
	debugged.Env = tinyEnvironment("debug", w.directory)
	printed := &lockedBuffer{}
	debugged.Stdout, debugged.Stderr = printed, printed
	if err := debugged.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = debugged.Process.Kill() })
	var reattach string
	eventually(t, "the provider printed how to attach", func() bool {
		_, rest, found := strings.Cut(printed.String(), "TF_REATTACH_PROVIDERS='")
		reattach, _, _ = strings.Cut(rest, "'\n")
		return found && strings.Contains(rest, "'\n")
	})
	command, output := w.apply(t, "TF_REATTACH_PROVIDERS="+reattach)
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if got := fmt.Sprint(w.values(t)); got != "[fine]" {
		t.Errorf("state holds %s", got)
	}
	if bytes.Contains([]byte(printed.String()), []byte("sdk.proto")) {
		t.Errorf("the debugged provider writes SDK lines that nobody asked for:\n%s", printed)
	}
	if err := debugged.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := debugged.Wait(); err != nil {
		t.Errorf("Ctrl-C ended the debugged provider with %v", err)
	}
}
