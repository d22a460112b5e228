package machineops

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// AwaitedError reports that the host is under another operation, for whose end this one
// waits. It is an ordinary error: a repeat succeeds once that operation has ended. Whether
// anybody goes on with that one is not known.
type AwaitedError struct {
	// ProviderID names the host.
	ProviderID string
	// Operation is what a user calls the other operation.
	Operation string
	// Is reports whether that operation is the one with the UID; nil where nobody can tell.
	Is func(operationUID types.UID) bool
}

// Error says which operation the host is under.
func (e *AwaitedError) Error() string {
	return fmt.Sprintf("%s is under another operation, %s, and is waited for", e.ProviderID, e.Operation)
}
