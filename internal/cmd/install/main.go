// Command install builds the provider and puts it into a local mirror, by
// default the one in the user's home directory that terraform and tofu search
// on their own. A configuration that names terraform-machine/machine then works
// without a registry.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)

	stop()

	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, output io.Writer) error {
	flags := flag.NewFlagSet("install", flag.ContinueOnError)
	version := flags.String("version", "0.1.0", "the version that the provider reports and is installed as")
	mirror := flags.String("mirror", "", "the mirror directory (default: the one in the home directory that the CLI searches)")

	if err := flags.Parse(arguments); err != nil {
		return err
	}

	if *mirror == "" {
		directory, err := implicitMirror()
		if err != nil {
			return err
		}

		*mirror = directory
	}

	place, err := install(ctx, *mirror, *version)
	if err != nil {
		return err
	}

	_, err = fmt.Fprintf(output, "installed %s\n", place)

	return err
}

func install(ctx context.Context, mirror, version string) (string, error) {
	cli, err := terraformcli.Find(ctx, os.Environ())
	if err != nil {
		return "", err
	}

	root, err := terraformcli.ModuleRoot(ctx, "")
	if err != nil {
		return "", err
	}

	temporary, err := os.MkdirTemp("", "terraform-provider-machine-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)

	binary := filepath.Join(temporary, "provider")
	if err := terraformcli.BuildProvider(ctx, root, binary, version); err != nil {
		return "", err
	}

	source := terraformcli.MachineProvider()

	host, err := terraformcli.ProviderHost(ctx, cli, source)
	if err != nil {
		return "", err
	}

	return terraformcli.InstallInMirror(mirror, host, source, binary, version)
}

// implicitMirror is the first place where both CLIs look for providers when
// their configuration says nothing.
func implicitMirror() (string, error) {
	if runtime.GOOS == "windows" {
		directory, err := os.UserConfigDir()

		return filepath.Join(directory, "terraform.d", "plugins"), err
	}

	home, err := os.UserHomeDir()

	return filepath.Join(home, ".terraform.d", "plugins"), err
}
