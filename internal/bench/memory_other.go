//go:build !linux

package bench

// watchMemory knows nothing of memory on this system.
func watchMemory(int) (stop func() int64) { return func() int64 { return 0 } }
