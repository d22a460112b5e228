package terraformcli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// PathVariable names the command to use instead of looking for one on PATH. It
// is the variable that terraform-plugin-testing reads, so one setting serves
// both.
const PathVariable = "TF_ACC_TERRAFORM_PATH"

// ErrNotFound says that neither Terraform nor OpenTofu is installed.
var ErrNotFound = errors.New("no Terraform or OpenTofu command found: install terraform or tofu (1.11 or newer) so that it is on PATH, or set " +
	PathVariable + " to the path of one")

// Product is the product a command belongs to, as its `version` prints it.
type Product string

// The two products that run this provider.
const (
	Terraform Product = "Terraform"
	OpenTofu  Product = "OpenTofu"
)

// CLI is an installed Terraform or OpenTofu command.
type CLI struct {
	// Path is where the executable is.
	Path string
	// Product tells Terraform from OpenTofu, by the command's own word and not
	// by its file name.
	Product Product
	// Version is the version without a leading v, such as 1.11.4.
	Version string
}

// Find returns the command to use: the one that PathVariable names, else
// terraform, else tofu, the first that is found in the PATH of environment (in
// the form of [os.Environ]). It returns ErrNotFound if there is none, and an
// error that names the path if the chosen one cannot tell its version.
func Find(ctx context.Context, environment []string) (CLI, error) {
	path, err := findPath(environment)
	if err != nil {
		return CLI{}, err
	}

	return identify(ctx, path, environment)
}

func findPath(environment []string) (string, error) {
	if named := lookupVariable(environment, PathVariable); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("%s is set to %q, which cannot be run: %w", PathVariable, named, err)
		}

		return filepath.Abs(path)
	}

	directories := filepath.SplitList(lookupVariable(environment, "PATH"))
	for _, name := range []string{"terraform", "tofu"} {
		for _, directory := range directories {
			if !filepath.IsAbs(directory) {
				continue // The shell's "current directory" entries are no installation.
			}

			path, err := exec.LookPath(filepath.Join(directory, name))
			if err == nil {
				return path, nil
			}
		}
	}

	return "", ErrNotFound
}

var versionLine = regexp.MustCompile(`^(Terraform|OpenTofu) v(\S+)$`)

func identify(ctx context.Context, path string, environment []string) (CLI, error) {
	workspace, remove, err := scratchWorkspace(CLI{Path: path})
	if err != nil {
		return CLI{}, fmt.Errorf("identifying %s: %w", path, err)
	}
	defer remove()

	workspace.inherited = environment

	result, err := workspace.Run(ctx, "version")
	if err != nil {
		return CLI{}, fmt.Errorf("%s does not tell its version: %w", path, err)
	}

	lines := bufio.NewScanner(strings.NewReader(result.Stdout))
	for lines.Scan() {
		if match := versionLine.FindStringSubmatch(strings.TrimSpace(lines.Text())); match != nil {
			return CLI{Path: path, Product: Product(match[1]), Version: match[2]}, nil
		}
	}

	return CLI{}, fmt.Errorf("%s is neither Terraform nor OpenTofu: its version command printed %q", path, result.Stdout)
}

// lookupVariable returns the last value of name, as the operating system does.
func lookupVariable(environment []string, name string) string {
	value := ""

	for _, entry := range environment {
		if key, found, ok := strings.Cut(entry, "="); ok && key == name {
			value = found
		}
	}

	return value
}
