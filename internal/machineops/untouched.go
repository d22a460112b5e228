package machineops

import "errors"

// untouchedError is a failure before the host was touched.
type untouchedError struct{ err error }

// Error is the failure's text.
func (e *untouchedError) Error() string { return e.err.Error() }

// Unwrap returns the failure, for errors.Is and errors.As.
func (e *untouchedError) Unwrap() error { return e.err }

// Untouched returns the error of a Begin that ends the operation, with the mark that
// nothing was asked of the host for it, neither now nor by an earlier run. Any other
// error it returns as it is.
func Untouched(err error) error {
	var permanent *PermanentError
	if !errors.As(err, &permanent) || permanent.Err == nil {
		return err
	}

	return &PermanentError{Reason: permanent.Reason, Err: &untouchedError{err: permanent.Err}}
}

// IsUntouched reports whether the error has the mark of Untouched.
func IsUntouched(err error) bool {
	var untouched *untouchedError

	return errors.As(err, &untouched)
}
