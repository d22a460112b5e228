package crashtest

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTheMarkerIsFound(t *testing.T) {
	t.Parallel()

	if !holdsSecret(firstBootData) {
		t.Error("the marker is not found in clear")
	}

	for _, before := range []string{"", "a", "ab", "abc"} {
		if encoded := base64.StdEncoding.EncodeToString([]byte(before + firstBootData)); !holdsSecret(encoded) {
			t.Errorf("the marker is not found in Base64 after %d bytes", len(before))
		}
	}

	if holdsSecret("crash-test-marker") || holdsSecret("") {
		t.Error("the marker is found where it is not")
	}
}

func TestFilesAreSearched(t *testing.T) {
	t.Parallel()

	directory := t.TempDir()
	if err := os.Mkdir(filepath.Join(directory, "below"), 0o700); err != nil {
		t.Fatal(err)
	}

	for name, content := range map[string]string{"main.tf": "nothing", "below/plan": "x" + firstBootData} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	// A plan is an archive, in which nothing stands in clear.
	packed := writeArchive(t, filepath.Join(directory, planFile), firstBootData)
	if holdsSecret(packed) {
		t.Error("the archive is not packed, and tries nothing")
	}

	found, err := secretsIn(directory)
	if err != nil || !slices.Equal(found, []string{"plan", planFile}) {
		t.Errorf("%v, %v", found, err)
	}
}

func writeArchive(t *testing.T, path, content string) string {
	t.Helper()

	var packed bytes.Buffer

	archive := zip.NewWriter(&packed)

	entry, err := archive.Create("tfplan")
	if err != nil {
		t.Fatal(err)
	}

	if _, err := entry.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}

	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}

	return packed.String()
}
