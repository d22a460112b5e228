package machineops

import "errors"

// Refused returns what the API of a provider answered to the call that failed, and the
// ID of the request. Both are empty where no error in the chain of err has an answer of
// its own, as after a call that got none. An error has one by a method
//
//	Refused() (said, requestID string)
func Refused(err error) (said, requestID string) {
	var refused interface {
		error
		Refused() (said, requestID string)
	}

	if errors.As(err, &refused) {
		return refused.Refused()
	}

	return "", ""
}
