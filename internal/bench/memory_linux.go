package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memoryPause is how often the provider's memory is looked at. The system keeps the
// peak, so that the last look before the end is what counts.
const memoryPause = 20 * time.Millisecond

// watchMemory watches the providers in a process group. What it returns ends that
// and returns the largest peak.
func watchMemory(group int) (stop func() int64) {
	var (
		peak   int64
		end    = make(chan struct{})
		ended  sync.WaitGroup
		ticker = time.NewTicker(memoryPause)
	)

	ended.Go(func() {
		defer ticker.Stop()

		for {
			for _, pid := range providersOf(group) {
				peak = max(peak, peakOf(pid))
			}

			select {
			case <-ticker.C:
			case <-end:
				return
			}
		}
	})

	return func() int64 {
		close(end)
		ended.Wait()

		return peak
	}
}

// providersOf returns the processes of the group that are providers of this
// project.
func providersOf(group int) []int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}

	var found []int

	for _, stat := range stats {
		text, err := os.ReadFile(stat) //nolint:gosec // G304: one of the system's own.
		if err != nil {
			// It has ended meanwhile.
			continue
		}

		before, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)

		// After the name come state, parent and process group.
		if len(fields) < 3 || fields[2] != strconv.Itoa(group) || !strings.Contains(before, "(terraform-provi") {
			continue
		}

		if pid, err := strconv.Atoi(strings.Fields(before)[0]); err == nil {
			found = append(found, pid)
		}
	}

	return found
}

// peakOf returns the most memory that a process held, in bytes.
func peakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}

	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kibibytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				return 0
			}

			return kibibytes << 10
		}
	}

	return 0
}
