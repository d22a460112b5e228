//go:build unix

package bench

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// nobody is who a database runs as where this process is root.
func nobody() (uid, gid uint32, err error) {
	account, err := user.Lookup("nobody")
	if err != nil {
		return 0, 0, err
	}

	numbers := make([]uint32, 0, 2)

	for _, text := range []string{account.Uid, account.Gid} {
		number, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return 0, 0, err
		}

		numbers = append(numbers, uint32(number))
	}

	return numbers[0], numbers[1], nil
}

// asNobody makes a command run as nobody where this process is root.
func asNobody(command *exec.Cmd) error {
	if os.Geteuid() != 0 {
		return nil
	}

	uid, gid, err := nobody()
	if err != nil {
		return err
	}

	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}

	return nil
}

// ownedDirectory makes a directory for who the database runs as, and lets that
// through to it.
func ownedDirectory(directory string) error {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}

	if os.Geteuid() != 0 {
		return nil
	}

	uid, gid, err := nobody()
	if err != nil {
		return err
	}

	if err := os.Chmod(filepath.Dir(directory), 0o711); err != nil { //nolint:gosec // G302: the database's user has to get through.
		return err
	}

	return os.Chown(directory, int(uid), int(gid))
}
