package machineops

// BlockedError reports that what is under way cannot be followed to its end, because
// the caller is refused what that takes: a look at it, or a step that is left. Unlike a
// PermanentError it says nothing of the operation, which goes on at the provider; and a
// repeat is refused too until somebody acts. A permission that was granted a moment ago
// may count only some seconds later, so that one BlockedError alone is no proof.
type BlockedError struct {
	// Reason is one word for programs to decide on; see the Reason constants of
	// v1alpha3.
	Reason string
	// ProviderID names the host that is concerned, where that is known.
	ProviderID string
	// Err is the refusal.
	Err error
	// AtOnce means that it was not a look that was refused, but what the operation has
	// still to do: one refusal is enough then.
	AtOnce bool
}

// Error returns the refusal's text.
func (e *BlockedError) Error() string {
	if e == nil || e.Err == nil {
		return "what is under way cannot be followed"
	}

	return e.Err.Error()
}

// Unwrap returns the refusal, for errors.Is and errors.As.
func (e *BlockedError) Unwrap() error {
	if e == nil {
		return nil
	}

	return e.Err
}
