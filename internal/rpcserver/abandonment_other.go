//go:build !unix

package rpcserver

// logReaderGone cannot be told on this system, where the reader counts as there:
// an abandoned process then lives until it is killed, as any provider does.
func logReaderGone() bool { return false }
