package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// clockFactor lets machines boot and go away within the load.
const clockFactor = 60

// emulator is the process under load.
type emulator struct {
	command *exec.Cmd
	url     string
	control ecsemulator.ControlClient
	drained chan struct{}
}

// startEmulator starts the command and reads from what it prints where it listens. It ends with stop or with ctx.
func startEmulator(ctx context.Context, path string, stderr io.Writer) (*emulator, error) {
	command := exec.CommandContext(ctx, path, "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--quiet",
		"--clock-factor", strconv.Itoa(clockFactor))
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 5 * time.Second
	command.Stderr = stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the emulator: %w", err)
	}
	e := &emulator{command: command, drained: make(chan struct{})}
	lines := bufio.NewScanner(output)
	for (e.url == "" || e.control.URL == "") && lines.Scan() {
		if _, url, found := strings.Cut(lines.Text(), "STS API: "); found {
			e.url = strings.TrimSpace(url)
		}
		if _, url, found := strings.Cut(lines.Text(), "control API:"); found {
			e.control.URL = strings.TrimSpace(url)
		}
	}
	go func() {
		defer close(e.drained)
		_, _ = io.Copy(io.Discard, output) // what follows is for people
	}()
	if e.url == "" || e.control.URL == "" {
		return nil, errors.Join(errors.New("the emulator did not say where it listens"), e.stop())
	}
	return e, nil
}

// stop ends the process and waits for it.
func (e *emulator) stop() error {
	if err := e.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the emulator: %w", err)
	}
	<-e.drained
	if err := e.command.Wait(); err != nil {
		return fmt.Errorf("the emulator ended badly: %w", err)
	}
	return nil
}

// memory is what the process has had at its peak, in MiB; where the system does not tell that, what it has now.
func (e *emulator) memory(ctx context.Context) (int, error) {
	pid := strconv.Itoa(e.command.Process.Pid)
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if errors.Is(err, os.ErrNotExist) {
		status, err = exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", pid).Output()
		status = append([]byte("VmHWM: "), status...)
	}
	if err != nil {
		return 0, fmt.Errorf("read the memory of the emulator: %w", err)
	}
	for line := range bytes.Lines(status) {
		if fields := strings.Fields(string(line)); len(fields) > 1 && fields[0] == "VmHWM:" {
			kib, err := strconv.Atoi(fields[1])
			return kib / 1024, err
		}
	}
	return 0, errors.New("read the memory of the emulator: the system does not tell")
}
