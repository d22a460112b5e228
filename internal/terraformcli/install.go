package terraformcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
)

// Source is the address of a provider without its host, as written in
// required_providers.
type Source struct {
	Namespace, Type string
}

// MachineProvider is the address under which users name this provider.
func MachineProvider() Source {
	return Source{Namespace: "terraform-machine", Type: "machine"}
}

// String returns namespace/type.
func (s Source) String() string {
	return s.Namespace + "/" + s.Type
}

// Installation is a provider binary that `init` finds without any network.
type Installation struct {
	// CLI is the command that the installation is for.
	CLI CLI
	// ConfigFile is the CLI configuration file that allows the mirror and
	// nothing else.
	ConfigFile string
	// MirrorDirectory holds the provider in the layout of a registry.
	MirrorDirectory string
	// Home is an empty home directory.
	Home string
}

// BuildAndInstall finds the command in environment, builds the provider of the
// module that the current directory belongs to, and installs it under directory,
// which must be empty or absent. See [Find], [BuildProvider] and [Install].
func BuildAndInstall(ctx context.Context, environment []string, version, directory string) (*Installation, error) {
	cli, err := Find(ctx, environment)
	if err != nil {
		return nil, err
	}

	root, err := ModuleRoot(ctx, "")
	if err != nil {
		return nil, err
	}

	binary := filepath.Join(directory, "build", "provider")
	if err := BuildProvider(ctx, root, binary, version); err != nil {
		return nil, err
	}

	return Install(ctx, cli, MachineProvider(), binary, version, directory)
}

// Install puts the provider binary into a new filesystem mirror under directory,
// and writes the CLI configuration file that goes
// with it. Terraform and OpenTofu complete a source address with different hosts;
// the mirror uses that of cli.
func Install(ctx context.Context, cli CLI, source Source, binary, version, directory string) (*Installation, error) {
	installation := &Installation{
		CLI:             cli,
		ConfigFile:      filepath.Join(directory, "mirror.tfrc"),
		MirrorDirectory: filepath.Join(directory, "mirror"),
		Home:            filepath.Join(directory, "home"),
	}

	for _, path := range []string{installation.MirrorDirectory, installation.Home} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, fmt.Errorf("installing the provider: %w", err)
		}
	}

	configuration := "provider_installation {\n  filesystem_mirror {\n    path = " +
		strconv.Quote(filepath.ToSlash(installation.MirrorDirectory)) + "\n  }\n}\n"
	if err := os.WriteFile(installation.ConfigFile, []byte(configuration), 0o600); err != nil {
		return nil, fmt.Errorf("installing the provider: %w", err)
	}

	host, err := ProviderHost(ctx, cli, source)
	if err != nil {
		return nil, fmt.Errorf("installing the provider: %w", err)
	}

	if _, err := InstallInMirror(installation.MirrorDirectory, host, source, binary, version); err != nil {
		return nil, err
	}

	return installation, nil
}

// Workspace returns a workspace in directory that sees this installation.
func (i *Installation) Workspace(directory string, variables map[string]string) Workspace {
	return Workspace{CLI: i.CLI, Directory: directory, Home: i.Home, ConfigFile: i.ConfigFile, Variables: variables}
}

// InstallInMirror copies the provider binary to its place in a filesystem mirror
// for this operating system and processor, and returns that place. A binary that
// is already there is replaced.
func InstallInMirror(mirrorDirectory, host string, source Source, binary, version string) (string, error) {
	name := "terraform-provider-" + source.Type + "_v" + version
	if runtime.GOOS == "windows" {
		name += ".exe"
	}

	directory := filepath.Join(mirrorDirectory, host, source.Namespace, source.Type, version, runtime.GOOS+"_"+runtime.GOARCH)
	if err := os.MkdirAll(directory, 0o755); err != nil { //nolint:gosec // Programs are installed for everyone to run.
		return "", fmt.Errorf("installing the provider: %w", err)
	}

	target := filepath.Join(directory, name)
	if err := copyExecutable(binary, target); err != nil {
		return "", fmt.Errorf("installing the provider: %w", err)
	}

	return target, nil
}

// copyExecutable goes through a temporary name, so that a provider process still
// running from the old file is not disturbed.
func copyExecutable(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()

	temporary, err := os.CreateTemp(filepath.Dir(to), ".provider-")
	if err != nil {
		return err
	}

	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()

	if _, err := io.Copy(temporary, source); err != nil {
		return errors.Join(err, temporary.Close())
	}

	if err := temporary.Chmod(0o755); err != nil {
		return errors.Join(err, temporary.Close())
	}

	if err := temporary.Close(); err != nil {
		return err
	}

	return os.Rename(temporary.Name(), to)
}

var requiredProvider = regexp.MustCompile(`provider\[([^/\]\s]+)/([^/\]\s]+)/([^/\]\s]+)\]`)

// ProviderHost returns the host with which cli completes a source address that
// names none. It asks the command itself, which needs no network.
func ProviderHost(ctx context.Context, cli CLI, source Source) (string, error) {
	workspace, remove, err := scratchWorkspace(cli)
	if err != nil {
		return "", fmt.Errorf("finding the provider host: %w", err)
	}
	defer remove()

	configuration := fmt.Sprintf("terraform {\n  required_providers {\n    %s = { source = %q }\n  }\n}\n", source.Type, source.String())
	if err := os.WriteFile(filepath.Join(workspace.Directory, "main.tf"), []byte(configuration), 0o600); err != nil {
		return "", fmt.Errorf("finding the provider host: %w", err)
	}

	result, err := workspace.Run(ctx, "providers")
	if err != nil {
		return "", fmt.Errorf("finding the provider host: %w", err)
	}

	for _, match := range requiredProvider.FindAllStringSubmatch(result.Stdout, -1) {
		if match[2] == source.Namespace && match[3] == source.Type {
			return match[1], nil
		}
	}

	return "", fmt.Errorf("finding the provider host: %s providers did not name %s:\n%s", cli.Path, source, result.Stdout)
}
