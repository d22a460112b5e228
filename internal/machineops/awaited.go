package machineops

import "fmt"

// AwaitedError reports that the host is under another operation, for whose end this one
// waits. It is an ordinary error: a repeat succeeds once that operation has ended. Whether
// anybody goes on with that one is not known.
type AwaitedError struct {
	// ProviderID names the host.
	ProviderID string
	// Operation is what a user calls the other operation.
	Operation string
}

// Error says which operation the host is under.
func (e *AwaitedError) Error() string {
	return fmt.Sprintf("%s is under another operation, %s, and is waited for", e.ProviderID, e.Operation)
}
