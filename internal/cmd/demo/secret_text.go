package main

import (
	"archive/zip"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

const userDataFile = "cloud-init.yaml"

// secretText is a word that must stay in memory, in the spellings in which a
// file could hold it.
type secretText struct {
	spellings [][]byte
	// sha256 is the hash of the whole text that the word is part of.
	sha256 string
}

// markUserData adds a comment with a random word to the user data and returns
// that word.
func markUserData(path string) (*secretText, error) {
	word := rand.Text()

	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("marking the user data: %w", err)
	}

	_, err = fmt.Fprintf(file, "# %s\n", word)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("marking the user data: %w", err)
	}

	whole, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("marking the user data: %w", err)
	}

	secret := newSecretText(word)
	secret.sha256 = fmt.Sprintf("%x", sha256.Sum256(whole))

	return secret, nil
}

func newSecretText(word string) *secretText {
	secret := &secretText{spellings: [][]byte{[]byte(word)}}

	// In Base64 the word looks different at each of three offsets. What shares a
	// group of four characters with its neighbors is left away.
	for offset := range 3 {
		shifted := append(make([]byte, offset), word...)
		shifted = shifted[:len(shifted)/3*3]
		encoded := base64.StdEncoding.EncodeToString(shifted)

		if offset > 0 {
			encoded = encoded[4:]
		}

		secret.spellings = append(secret.spellings, []byte(encoded))
	}

	return secret
}

func (s *secretText) isIn(content []byte) bool {
	for _, spelling := range s.spellings {
		if bytes.Contains(content, spelling) {
			return true
		}
	}

	return false
}

// search looks into all files under directory but the user data's own, and into
// those packed in archives, as plans are. It returns the paths below it that
// hold the word, and how many files it read.
func (s *secretText) search(directory string) (found []string, searched int, err error) {
	files := os.DirFS(directory)

	err = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == userDataFile {
			return err
		}

		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}

		searched++

		inside, err := s.isInArchive(content)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}

		if inside || s.isIn(content) {
			found = append(found, path)
		}

		return nil
	})

	return found, searched, err
}

func (s *secretText) isInArchive(content []byte) (bool, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if errors.Is(err, zip.ErrFormat) {
		return false, nil
	}

	if err != nil {
		return false, err
	}

	for _, packed := range archive.File {
		reader, err := packed.Open()
		if err != nil {
			return false, err
		}

		unpacked, err := io.ReadAll(reader)
		if err := errors.Join(err, reader.Close()); err != nil {
			return false, err
		}

		if s.isIn(unpacked) {
			return true, nil
		}
	}

	return false, nil
}
