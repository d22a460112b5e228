package crashtest

import (
	"archive/zip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// firstBootData is the user data of the machines. It reaches commands by an ephemeral
// variable, so that it may stand in no file.
const firstBootData = "#!/bin/sh\necho crash-test-marker-8c1f4e0b\n"

// marker is the part of firstBootData that is looked for.
const marker = "crash-test-marker-8c1f4e0b"

// holdsSecret reports whether a text holds the marker, in clear or in Base64, at
// whatever offset it was encoded.
func holdsSecret(text string) bool {
	if strings.Contains(text, marker) {
		return true
	}

	for offset := range 3 {
		// The bytes before and after the marker change the first and last characters.
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("-", offset) + marker))
		if strings.Contains(text, encoded[4:len(encoded)-4]) {
			return true
		}
	}

	return false
}

// unpacked is all that a plan file holds, which is an archive.
func unpacked(path string) ([]byte, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}

	defer archive.Close()

	var all []byte

	for _, entry := range archive.File {
		reader, err := entry.Open()
		if err != nil {
			return nil, err
		}

		content, err := io.ReadAll(reader)
		if err := errors.Join(err, reader.Close()); err != nil {
			return nil, err
		}

		all = append(all, content...)
	}

	return all, nil
}

// secretsIn names the files below a directory that hold the marker.
func secretsIn(directory string) ([]string, error) {
	var found []string

	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}

		content, err := os.ReadFile(path) //nolint:gosec // A file of the trial's own directory.
		if err != nil {
			return err
		}

		if filepath.Ext(path) == filepath.Ext(planFile) {
			if content, err = unpacked(path); err != nil {
				return err
			}
		}

		if holdsSecret(string(content)) {
			found = append(found, filepath.Base(path))
		}

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for secrets: %w", err)
	}

	return found, nil
}
