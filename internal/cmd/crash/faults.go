package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/terraform-machine/terraform-provider-machine/internal/crashtest"
)

// errUnseen says that the harness does not see what it has to.
var errUnseen = errors.New("a fault was not seen")

// seeFaults makes sure that the harness sees what a provider does that lacks one of its
// safeguards. A part of the matrix is run without that.
func seeFaults(ctx context.Context, directory string, settings settings, stdout io.Writer) (err error) {
	part := settings.scenario != "" || settings.every > 1 || settings.list || settings.fault != ""
	if settings.where != "faults" && (settings.where != "" || part) {
		return nil
	}

	directory = filepath.Join(directory, "faults")
	if err := os.Mkdir(directory, 0o700); err != nil {
		return err
	}

	binary := filepath.Join(directory, "provider")
	if err := crashtest.Build(ctx, binary, crashtest.FaultTag); err != nil {
		return err
	}

	laboratory, err := crashtest.OpenLaboratory(ctx, crashtest.LaboratoryOptions{
		Directory: directory, Provider: binary, ClockFactor: settings.factor,
	})
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, laboratory.Close()) }()

	if err := crashtest.SeeFaults(ctx, laboratory, settings.parallel, stdout); err != nil {
		fmt.Fprintln(stdout, err)

		return errUnseen
	}

	return nil
}
