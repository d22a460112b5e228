package machineops

import "fmt"

const redacted = "(redacted)"

// Format prints the request for any verb of package fmt, with its replacement
// user data, and whatever else in it is secret, redacted.
func (r OperationRequest) Format(state fmt.State, verb rune) {
	type plain OperationRequest

	r.ReplaceUserData = redactedText(r.ReplaceUserData)
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, verb), plain(r))
}

// Format prints the request for any verb of package fmt, with its user data
// redacted.
func (r AllocationRequest) Format(state fmt.State, verb rune) {
	type plain AllocationRequest

	r.UserData = redactedText(r.UserData)
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, verb), plain(r))
}

// Format prints the mode and the keys of the secret data for any verb of package
// fmt; every value is redacted.
func (a OperationAuth) Format(state fmt.State, verb rune) {
	type plain OperationAuth

	shown := make(map[string]string, len(a.SecretData))
	for key, value := range a.SecretData {
		shown[key] = redactedText(value)
	}

	a.SecretData = shown
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, verb), plain(a))
}

// redactedText keeps the one thing that may be known of a secret: whether there
// is one.
func redactedText(secret string) string {
	if secret == "" {
		return ""
	}

	return redacted
}
