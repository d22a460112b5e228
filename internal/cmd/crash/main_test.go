package main

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/crashtest"
)

func TestWhatCannotBeRunIsRefusedBeforeAnythingIsBuilt(t *testing.T) {
	t.Parallel()

	for arguments, want := range map[string]string{
		"further":            `unexpected argument "further"`,
		"-where nowhere":     "none of command, in-process and faults",
		"-point create":      "want scenario/setting",
		"-point in-process/": "want scenario/setting",
		"-no-such-flag":      "not defined",
	} {
		var output bytes.Buffer
		if err := run(t.Context(), strings.Fields(arguments), &output, &output); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arguments, err, want)
		}
	}

	if err := run(t.Context(), []string{"-help"}, &bytes.Buffer{}, &bytes.Buffer{}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help: %v", err)
	}
}

func TestOnePointIsRunByItsName(t *testing.T) {
	t.Parallel()

	const name = crashtest.InProcessPrefix + "create/plain/RunInstances/1/before/kill-all/apply"

	place, err := crashtest.OpenInProcess(100)
	if err != nil {
		t.Fatal(err)
	}

	var output bytes.Buffer
	if err := runPoint(t.Context(), place, strings.TrimPrefix(name, crashtest.InProcessPrefix), &output); err != nil {
		t.Errorf("%v: %s", err, output.String())
	}

	if want := name + "\n    healed\n"; output.String() != want {
		t.Errorf("%q, want %q", output.String(), want)
	}
}
