package terraformcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ModuleRoot returns the directory of the go.mod that governs directory ("" is
// the current one). It returns an error outside a module.
func ModuleRoot(ctx context.Context, directory string) (string, error) {
	command := exec.CommandContext(ctx, "go", "env", "GOMOD")
	command.Dir = directory

	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("finding the module root: go env GOMOD: %w", err)
	}

	file := strings.TrimSpace(string(output))
	if file == "" || file == os.DevNull {
		return "", errors.New("finding the module root: not inside a Go module; run this from a checkout of the repository")
	}

	return filepath.Dir(file), nil
}

// BuildProvider compiles the main package in moduleRoot to the file output. The
// binary reports version. The build leaves out paths of this machine, so equal
// sources give equal binaries.
func BuildProvider(ctx context.Context, moduleRoot, output, version string) error {
	return BuildPackage(ctx, moduleRoot, ".", output, version)
}

// BuildPackage is BuildProvider for another main package of the module, named by
// its path below moduleRoot ("./internal/cmd/...").
func BuildPackage(ctx context.Context, moduleRoot, name, output, version string) error {
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-X main.version="+version, "-o", output, name)
	command.Dir = moduleRoot
	// Interrupted, the go command removes its temporary files; killed, it does not.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = killGrace

	if text, err := command.CombinedOutput(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return fmt.Errorf("building the provider was stopped: %w", cause)
		}

		return fmt.Errorf("building the provider in %s: %w\n%s", moduleRoot, err, text)
	}

	return nil
}
