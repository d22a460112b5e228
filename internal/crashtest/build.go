package crashtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// FaultTag is the build tag of a provider that can be told to leave out one of its
// safeguards, which proves that the harness sees what they prevent.
const FaultTag = "faults"

// FaultVariable names the safeguard that a provider built with FaultTag leaves out.
const FaultVariable = "TF_MACHINE_FAULT"

// Build builds the provider of the module that the current directory belongs to, with
// the build tags, into the file output.
func Build(ctx context.Context, output string, tags string) error {
	root, err := terraformcli.ModuleRoot(ctx, "")
	if err != nil {
		return err
	}

	arguments := []string{"build", "-trimpath", "-buildvcs=false", "-tags", tags, "-ldflags", "-s -w -X main.version=" + providerVersion, "-o", output, "."}

	command := exec.CommandContext(ctx, "go", arguments...) //nolint:gosec // The caller's own arguments.
	command.Dir = root

	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the provider: %w\n%s", err, text)
	}

	return nil
}

// BuildID tells builds apart by their content.
func BuildID(binary string) (string, error) {
	content, err := os.ReadFile(binary) //nolint:gosec // The file that the caller names.
	if err != nil {
		return "", fmt.Errorf("reading the provider: %w", err)
	}

	sum := sha256.Sum256(content)

	return hex.EncodeToString(sum[:]), nil
}
