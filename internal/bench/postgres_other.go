//go:build !unix

package bench

import (
	"os"
	"os/exec"
)

// asNobody changes nothing: this system has no root.
func asNobody(*exec.Cmd) error { return nil }

func ownedDirectory(directory string) error { return os.MkdirAll(directory, 0o700) }
