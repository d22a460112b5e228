package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// The CLI is the judge of the format: what it prints of the built provider has to
// be what this command prints, in every part that the CLI knows.
func TestDocumentAgreesWithTheCLI(t *testing.T) {
	t.Parallel()

	var ours bytes.Buffer
	if err := run(t.Context(), &ours); err != nil {
		t.Fatal(err)
	}

	theirs := schemasFromCLI(t)

	providerOf := func(text []byte) map[string]any {
		var document struct {
			ProviderSchemas map[string]map[string]any `json:"provider_schemas"`
		}
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}

		if len(document.ProviderSchemas) != 1 {
			t.Fatalf("schemas of %v, want one provider", slices.Collect(maps.Keys(document.ProviderSchemas)))
		}

		for _, provider := range document.ProviderSchemas {
			return provider
		}

		return nil
	}

	got, want := providerOf(ours.Bytes()), providerOf(theirs)
	if len(want) == 0 {
		t.Fatal("the CLI printed no schema")
	}

	for part := range want {
		if !reflect.DeepEqual(got[part], want[part]) {
			t.Errorf("%s: this command prints\n%v\nthe CLI prints\n%v", part, got[part], want[part])
		}
	}
}

func schemasFromCLI(t *testing.T) []byte {
	t.Helper()

	installation, err := terraformcli.BuildAndInstall(t.Context(), os.Environ(), "0.1.0", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}

	workspace := installation.Workspace(t.TempDir(), nil)

	configuration := "terraform {\n  required_providers {\n    machine = { source = \"terraform-machine/machine\" }\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(workspace.Directory, "main.tf"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := workspace.Run(t.Context(), "init"); err != nil {
		t.Fatal(err)
	}

	result, err := workspace.Run(t.Context(), "providers", "schema", "-json")
	if err != nil {
		t.Fatal(err)
	}

	return []byte(result.Stdout)
}
