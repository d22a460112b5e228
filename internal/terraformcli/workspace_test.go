//go:build unix

package terraformcli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

func scriptWorkspace(t *testing.T, body string) terraformcli.Workspace {
	t.Helper()

	directory := t.TempDir()

	return terraformcli.Workspace{
		CLI:        terraformcli.CLI{Path: writeScript(t, directory, "terraform", body)},
		Directory:  directory,
		Home:       directory,
		ConfigFile: filepath.Join(directory, "cli.tfrc"),
	}
}

// The caller's environment is changed, so neither this test nor its cases are
// parallel.
func TestEnvironmentOfTheCallerStaysOutside(t *testing.T) {
	for _, name := range []string{
		"TF_LOG", "TF_VAR_owner", "TF_WORKSPACE", "TF_PLUGIN_CACHE_DIR", "TF_REATTACH_PROVIDERS",
		"ALIBABA_CLOUD_ACCESS_KEY_ID", "ALICLOUD_ACCESS_KEY", "HTTPS_PROXY",
	} {
		t.Setenv(name, "of-the-caller")
	}

	t.Setenv("TF_CLI_CONFIG_FILE", "/of-the-caller")

	workspace := scriptWorkspace(t, "env")
	workspace.Variables = map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": "of-the-workspace", "TF_INPUT": "1"}

	result, err := workspace.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if strings.Contains(result.Stdout, "of-the-caller") {
		t.Errorf("a variable of the caller got in:\n%s", result.Stdout)
	}

	lines := strings.Split(result.Stdout, "\n")
	for _, want := range []string{
		"ALIBABA_CLOUD_ACCESS_KEY_ID=of-the-workspace",
		"TF_INPUT=1",
		"CHECKPOINT_DISABLE=1",
		"HOME=" + workspace.Home,
		"TF_CLI_CONFIG_FILE=" + workspace.ConfigFile,
		"TF_DATA_DIR=" + filepath.Join(workspace.Directory, ".terraform"),
		"PATH=" + os.Getenv("PATH"),
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("the command's environment lacks %s:\n%s", want, result.Stdout)
		}
	}
}

func TestRunReportsExitStatusAndOutput(t *testing.T) {
	t.Parallel()

	workspace := scriptWorkspace(t, `echo "said: $*"; echo "complained" >&2; exit 2`)

	result, err := workspace.Run(t.Context(), "plan", "-detailed-exitcode")

	var exit *terraformcli.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("error is %v", err)
	}

	if result.ExitCode != 2 || result.Stdout != "said: plan -detailed-exitcode\n" || result.Stderr != "complained\n" {
		t.Errorf("result is %+v", result)
	}

	for _, want := range []string{"plan -detailed-exitcode", "exit status 2", "said:", "complained"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestMissingExecutableIsAnError(t *testing.T) {
	t.Parallel()

	workspace := scriptWorkspace(t, "true")
	workspace.CLI.Path = filepath.Join(workspace.Directory, "missing")

	result, err := workspace.Run(t.Context(), "plan")
	if !errors.Is(err, os.ErrNotExist) || result.ExitCode != -1 {
		t.Errorf("result %+v, error %v", result, err)
	}
}

// awaitFile waits until the command has written path, and returns what stands in it.
func awaitFile(t *testing.T, path string) string {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()

	for {
		if content, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(content), "\n") {
			return strings.TrimSpace(string(content))
		}

		select {
		case <-ctx.Done():
			t.Fatalf("the command never wrote %s", path)
		case <-ticker.C:
		}
	}
}

func TestCancelEndsTheCommandAndWhatItStarted(t *testing.T) {
	t.Parallel()

	workspace := scriptWorkspace(t, `trap "" INT TERM; sleep 1000 & echo $! > child; wait`)
	cause := errors.New("the user went away")
	ctx, cancel := context.WithCancelCause(t.Context())

	process, err := workspace.Start(ctx, "apply")
	if err != nil {
		t.Fatal(err)
	}

	child, err := strconv.Atoi(awaitFile(t, filepath.Join(workspace.Directory, "child")))
	if err != nil {
		t.Fatal(err)
	}

	cancel(cause)

	result, err := process.Wait()
	if !errors.Is(err, cause) || result.ExitCode != -1 {
		t.Errorf("result %+v, error %v", result, err)
	}

	awaitEnd(t, child)
}

// awaitEnd waits until the process is gone, or is a zombie that nobody has
// collected yet, as happens in a container without an init process.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()

	for {
		status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if zombie := err == nil && strings.Contains(string(status), ") Z "); zombie || syscall.Kill(pid, 0) != nil {
			return
		}

		select {
		case <-ctx.Done():
			t.Fatalf("process %d is still running", pid)
		case <-ticker.C:
		}
	}
}

func TestSignalReachesTheCommandAloneOrItsGroup(t *testing.T) {
	t.Parallel()

	const body = `
trap 'echo command >> heard; stop=yes' TERM
sh -c 'trap "echo child >> heard; exit 0" TERM; echo ready > child; while :; do sleep 0.01; done' &
child=$!
while [ -z "$stop" ]; do sleep 0.01; done
if [ "$1" = alone ]; then kill -KILL $child; fi
wait
echo done >> heard`

	for _, test := range []struct {
		name  string
		alone bool
		want  []string
	}{
		{name: "alone", alone: true, want: []string{"command", "done"}},
		{name: "group", alone: false, want: []string{"child", "command", "done"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			workspace := scriptWorkspace(t, body)

			process, err := workspace.Start(t.Context(), test.name)
			if err != nil {
				t.Fatal(err)
			}

			awaitFile(t, filepath.Join(workspace.Directory, "child"))

			if test.alone {
				err = process.Signal(syscall.SIGTERM)
			} else {
				err = process.SignalGroup(syscall.SIGTERM)
			}

			if err != nil {
				t.Fatal(err)
			}

			if _, err := process.Wait(); err != nil {
				t.Fatal(err)
			}

			heard, err := os.ReadFile(filepath.Join(workspace.Directory, "heard"))
			if err != nil {
				t.Fatal(err)
			}

			lines := strings.Fields(string(heard))
			slices.Sort(lines)

			if !slices.Equal(lines, test.want) {
				t.Errorf("heard %v, want %v", lines, test.want)
			}
		})
	}
}
