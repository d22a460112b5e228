//go:build unix

package rpcserver

import (
	"golang.org/x/sys/unix"
)

// stderrDescriptor is the pipe on which Terraform reads this process's log. It is
// closed when Terraform ends, however it ends, and not before.
const stderrDescriptor = 2

// logReaderGone reports whether stderr is a pipe whose reading end is closed: the
// condition under which a write to it raises SIGPIPE.
func logReaderGone() bool {
	return readerGone(stderrDescriptor)
}

// readerGone reports whether descriptor is a pipe whose reading end is closed. If
// that cannot be told, the reader counts as there.
func readerGone(descriptor int32) bool {
	descriptors := []unix.PollFd{{Fd: descriptor}}
	ready, err := unix.Poll(descriptors, 0)
	return err == nil && ready > 0 && descriptors[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
