// Command messages writes down every text that the provider may say to a user, as it
// stands in the source: a page of the documentation with the diagnostics, and a file
// with these and all texts of errors, so that a change of one is seen.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The files that are written, below the root of the module.
const (
	guideFile = "templates/guides/messages.md"
	textsFile = "docs/messages.txt"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string, complaints io.Writer) error {
	flags := flag.NewFlagSet("messages", flag.ContinueOnError)
	flags.SetOutput(complaints)

	root := flags.String("root", ".", "the root of the module")
	if err := flags.Parse(arguments); err != nil {
		return err
	}

	files, err := generate(*root)
	if err != nil {
		return err
	}

	for name, content := range files {
		if err := os.WriteFile(filepath.Join(*root, filepath.FromSlash(name)), content, 0o644); err != nil { //nolint:gosec // Documentation, which everybody may read.
			return err
		}
	}

	return nil
}

// generate returns the content of the files by their names.
func generate(root string) (map[string][]byte, error) {
	var all []message

	for _, directory := range packages() {
		source, err := readPackage(filepath.Join(root, filepath.FromSlash(directory)), directory)
		if err != nil {
			return nil, err
		}

		all = append(all, source.messages()...)
	}

	return map[string][]byte{guideFile: guide(all), textsFile: texts(all)}, nil
}

// packages are those whose texts reach a user.
func packages() []string {
	return []string{
		"internal/provider", "internal/rpcserver", "internal/lifecycle", "internal/machineops", "internal/machineops/v1alpha3", "internal/driver",
		"internal/alicloud", "internal/alicloud/credentials", "internal/alicloud/ecs",
	}
}
