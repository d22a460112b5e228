package machineops

import "errors"

// PermanentError reports that retrying a provider callback cannot make progress.
// Providers should return ordinary errors for transient failures.
type PermanentError struct {
	// Reason is one word for programs to decide on; see the Reason constants of
	// v1alpha3.
	Reason string
	// Err is the cause.
	Err error
}

// Error returns the cause's text, preceded by the reason where there is one.
func (e *PermanentError) Error() string {
	switch {
	case e == nil:
		return "permanent error"
	case e.Err == nil && e.Reason == "":
		return "permanent error"
	case e.Err == nil:
		return e.Reason
	case e.Reason == "":
		return e.Err.Error()
	default:
		return e.Reason + ": " + e.Err.Error()
	}
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *PermanentError) Unwrap() error {
	if e == nil {
		return nil
	}

	return e.Err
}

// Cause returns the text of an error without the reason of the PermanentError in its
// chain, which is for programs and not for people.
func Cause(err error) string {
	var permanent *PermanentError
	if errors.As(err, &permanent) && permanent.Err != nil {
		return permanent.Err.Error()
	}

	return err.Error()
}
