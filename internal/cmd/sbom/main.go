// Command sbom writes the software bill of materials of a Go binary in CycloneDX
// JSON: the modules that it was built from, as the Go linker recorded them in it.
// Nothing is guessed from a checkout, and equal binaries give equal documents.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(arguments []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	flags.SetOutput(stderr)
	binary := flags.String("binary", "", "the Go binary (`file`) to describe")
	version := flags.String("version", "", "the `version` of the release that the binary is part of (default: what the binary says)")
	output := flags.String("output", "", "the `file` to write (default: standard output)")

	if err := flags.Parse(arguments); err != nil {
		return err
	}

	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *binary == "":
		return errors.New("-binary has to name a Go binary")
	}

	of, err := read(*binary)
	if err != nil {
		return err
	}

	of.version = *version

	if *output == "" {
		return write(stdout, of)
	}

	file, err := os.Create(*output)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, file.Close()) }()

	return write(file, of)
}

// read reads what a binary says of itself, and hashes it.
func read(binary string) (_ subject, err error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return subject{}, fmt.Errorf("reading the build information: %w", err)
	}

	file, err := os.Open(binary)
	if err != nil {
		return subject{}, err
	}

	defer func() { err = errors.Join(err, file.Close()) }()

	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return subject{}, fmt.Errorf("hashing the binary: %w", err)
	}

	return subject{info: info, hash: hex.EncodeToString(hash.Sum(nil))}, nil
}
