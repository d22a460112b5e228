//go:build unix

package terraformcli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func leadProcessGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killProcessGroup(process *os.Process) error {
	err := syscall.Kill(-process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}

	return err
}

func signalProcessGroup(process *os.Process, signal os.Signal) error {
	number, ok := signal.(syscall.Signal)
	if !ok {
		return fmt.Errorf("signal %v cannot be sent to a process group", signal)
	}

	return syscall.Kill(-process.Pid, number)
}
