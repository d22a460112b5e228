//go:build faults

package safeguard

import "os"

// Variable is the environment variable that names the safeguard to leave out.
const Variable = "TF_MACHINE_FAULT"

// Missing reports whether the safeguard is left out.
func Missing(safeguard Safeguard) bool { return os.Getenv(Variable) == string(safeguard) }
