package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// listed is what a reader of the document looks for.
type listed struct {
	BOMFormat string `json:"bomFormat"`
	Metadata  struct {
		Component struct {
			Name    string `json:"name"`
			Version string `json:"version"`
			Hashes  []struct {
				Algorithm string `json:"alg"`
				Content   string `json:"content"`
			} `json:"hashes"`
			Properties []struct {
				Name  string `json:"name"`
				Value string `json:"value"`
			} `json:"properties"`
		} `json:"component"`
	} `json:"metadata"`
	Components []struct {
		Name       string `json:"name"`
		Version    string `json:"version"`
		PackageURL string `json:"purl"`
	} `json:"components"`
}

func describe(t *testing.T, binary string) (listed, string) {
	t.Helper()

	var stdout, stderr bytes.Buffer
	if err := run([]string{"-binary", binary, "-version", "1.2.3"}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}

	var document listed
	if err := json.Unmarshal(stdout.Bytes(), &document); err != nil {
		t.Fatal(err)
	}

	return document, stdout.String()
}

func TestADocumentListsTheModulesOfABinary(t *testing.T) {
	t.Parallel()

	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	document, text := describe(t, binary)

	if document.BOMFormat != "CycloneDX" || !strings.HasSuffix(document.Metadata.Component.Name, "/terraform-provider-machine") {
		t.Errorf("%s", text)
	}

	found := map[string]string{}
	for _, component := range document.Components {
		found[component.Name] = component.Version

		if want := "pkg:golang/" + component.Name + "@" + component.Version; component.PackageURL != want {
			t.Errorf("%s: %q, want %q", component.Name, component.PackageURL, want)
		}
	}

	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the test binary holds no build information")
	}

	for _, module := range info.Deps {
		if found[module.Path] != module.Version {
			t.Errorf("%s %s is in the binary, and the document says %q", module.Path, module.Version, found[module.Path])
		}
	}

	if found["stdlib"] != runtime.Version() {
		t.Errorf("the standard library is %q, want %q", found["stdlib"], runtime.Version())
	}

	if _, again := describe(t, binary); again != text {
		t.Error("two documents of one binary differ")
	}
}

// Documents of the binaries of one release tell them apart: by platform, and by the hash of
// the file.
func TestADocumentSaysWhichBinaryItDescribes(t *testing.T) {
	t.Parallel()

	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}

	document, text := describe(t, binary)
	described := document.Metadata.Component

	if described.Version != "v1.2.3" {
		t.Errorf("the version is %q", described.Version)
	}

	if want := fmt.Sprintf("%x", sha256.Sum256(content)); len(described.Hashes) != 1 || described.Hashes[0].Algorithm != "SHA-256" || described.Hashes[0].Content != want {
		t.Errorf("the hashes are %v, want %s", described.Hashes, want)
	}

	built := map[string]string{}
	for _, property := range described.Properties {
		built[property.Name] = property.Value
	}

	if built["go:GOOS"] != runtime.GOOS || built["go:GOARCH"] != runtime.GOARCH {
		t.Errorf("%s", text)
	}
}

func TestAReplacedModuleIsListedAsWhatStandsInItsPlace(t *testing.T) {
	t.Parallel()

	made := component(&debug.Module{
		Path: "example.test/a", Version: "v1.0.0", Replace: &debug.Module{Path: "example.test/b", Version: "v1.2.3", Sum: "h1:abc"},
	})

	if made.PackageURL != "pkg:golang/example.test/b@v1.2.3" || (*made.Properties)[0].Value != "h1:abc" {
		t.Errorf("%+v", made)
	}
}

func TestWhatCannotBeDescribedIsAnError(t *testing.T) {
	t.Parallel()

	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no binary"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, wrong := range [][]string{{}, {"-binary", text}, {"-binary", text + ".missing"}, {"further"}, {"-no-such-flag"}} {
		var stdout, stderr bytes.Buffer
		if err := run(wrong, &stdout, &stderr); err == nil || stdout.Len() > 0 {
			t.Errorf("%v: error %v, and %q was written", wrong, err, stdout.String())
		}
	}

	if err := write(&bytes.Buffer{}, subject{info: &debug.BuildInfo{}}); !errors.Is(err, errNoModules) {
		t.Errorf("%v, want %v", err, errNoModules)
	}
}

func TestTheDocumentGoesIntoTheFileThatIsNamed(t *testing.T) {
	t.Parallel()

	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	output := filepath.Join(t.TempDir(), "document.json")

	var stdout, stderr bytes.Buffer
	if err := run([]string{"-binary", binary, "-version", "1.2.3", "-output", output}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}

	_, want := describe(t, binary)

	written, err := os.ReadFile(output)
	if err != nil || string(written) != want || stdout.Len() > 0 {
		t.Errorf("error %v, %d bytes in the file and %d on standard output", err, len(written), stdout.Len())
	}
}
