//go:build !unix

package terraformcli

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// leadProcessGroup does nothing: only the command itself can be signaled here.
func leadProcessGroup(*exec.Cmd) {}

func killProcessGroup(process *os.Process) error {
	return process.Kill()
}

func signalProcessGroup(_ *os.Process, signal os.Signal) error {
	return fmt.Errorf("signal %v cannot be sent to a process group on %s", signal, runtime.GOOS)
}
