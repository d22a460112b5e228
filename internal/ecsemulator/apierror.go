package ecsemulator

import "fmt"

// APIError is a refusal as it goes over the wire.
type APIError struct {
	HTTPStatus int
	Code       string
	Message    string
	// AccessDeniedDetail is set when a RAM policy denies.
	AccessDeniedDetail map[string]any
}

// Error gives the code and the message.
func (e *APIError) Error() string { return fmt.Sprintf("%s (%d): %s", e.Code, e.HTTPStatus, e.Message) }

func refuse(status int, code, format string, args ...any) *APIError {
	return &APIError{HTTPStatus: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

func missingParameter(name string) *APIError {
	return refuse(400, "MissingParameter", "The input parameter %q that is mandatory for processing this request is not supplied.", name)
}

func invalidParameter(name string) *APIError {
	return refuse(400, "InvalidParameter", "The specified parameter %q is not valid.", name)
}

func dryRunPassed() *APIError {
	return refuse(400, "DryRunOperation", "Request validation has been passed with DryRun flag set.")
}
