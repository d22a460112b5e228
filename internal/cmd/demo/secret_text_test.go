package main

import (
	"archive/zip"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSecretTextIsFoundInEverySpelling(t *testing.T) {
	t.Parallel()

	const word = "QWERTYUIOPASDFGHJKLZXCVBNM"
	secret := newSecretText(word)
	directory := t.TempDir()

	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	write("plain", "before "+word+" after")
	write("harmless", "before "+strings.ToLower(word)+" after")
	write(userDataFile, word)

	for offset := range 3 {
		write("base64-"+strings.Repeat("x", offset), base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 3+offset)+word+"behind it")))
	}

	file, err := os.Create(filepath.Join(directory, "plan"))
	if err != nil {
		t.Fatal(err)
	}

	archive := zip.NewWriter(file)

	packed, err := archive.Create("tfstate")
	if err != nil {
		t.Fatal(err)
	}

	if _, err := packed.Write([]byte(strings.Repeat("compressible ", 100) + word)); err != nil {
		t.Fatal(err)
	}

	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}

	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	found, searched, err := secret.search(directory)
	if err != nil {
		t.Fatal(err)
	}

	for i, path := range found {
		found[i] = filepath.Base(path)
	}

	slices.Sort(found)

	if want := []string{"base64-", "base64-x", "base64-xx", "plain", "plan"}; !slices.Equal(found, want) || searched != 6 {
		t.Errorf("found it in %v of %d files, want %v of 6", found, searched, want)
	}
}
