package crashtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// processEntry is one living process of the machine.
type processEntry struct{ pid, parent, group int }

// processes lists the living processes; those that are dead and not yet reaped are
// left out.
func processes(ctx context.Context) ([]processEntry, error) {
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		return processesOfProc()
	}

	output, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,pgid=,stat=").Output()
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}

	var found []processEntry

	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) >= 4 {
			found = appendLiving(found, fields[0], fields[3], fields[1], fields[2])
		}
	}

	return found, nil
}

func processesOfProc() ([]processEntry, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}

	var found []processEntry

	for _, path := range paths {
		content, err := os.ReadFile(path) //nolint:gosec // A file of the system.
		if err != nil {
			continue // It ended meanwhile.
		}

		// The name, in parentheses, may hold anything.
		head, rest, _ := strings.Cut(string(content), " (")
		if end := strings.LastIndex(rest, ") "); end >= 0 {
			if fields := strings.Fields(rest[end+2:]); len(fields) >= 3 {
				found = appendLiving(found, head, fields[0], fields[1], fields[2])
			}
		}
	}

	return found, nil
}

func appendLiving(found []processEntry, pid, status, parent, group string) []processEntry {
	if strings.HasPrefix(status, "Z") || strings.HasPrefix(status, "X") {
		return found
	}

	var (
		entry  processEntry
		errs   [3]error
		fields = [3]string{pid, parent, group}
	)

	for i, target := range []*int{&entry.pid, &entry.parent, &entry.group} {
		*target, errs[i] = strconv.Atoi(fields[i])
	}

	if errors.Join(errs[:]...) != nil {
		return found
	}

	return append(found, entry)
}

// killChildren kills the children of a process, and reports how many there were.
func killChildren(ctx context.Context, parent int) (int, error) {
	all, err := processes(ctx)
	if err != nil {
		return 0, err
	}

	killed := 0

	for _, entry := range all {
		if entry.parent != parent {
			continue
		}

		process, err := os.FindProcess(entry.pid)
		if err != nil {
			return killed, err
		}

		if err := process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return killed, fmt.Errorf("killing the provider: %w", err)
		}

		killed++
	}

	return killed, nil
}

// waitForGroup returns once no process of the group lives, or with an error when the
// patience is at its end.
func waitForGroup(ctx context.Context, group int, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	for {
		all, err := processes(ctx)
		if err != nil {
			return err
		}

		living := false
		for _, entry := range all {
			living = living || entry.group == group
		}

		if !living {
			return nil
		}

		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("the orphan still lives after %s: %w", patience, err)
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
