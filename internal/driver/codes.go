package driver

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an error is. The numbers are those of gRPC.
type Code uint32

// The codes.
const (
	CodeOK                 Code = 0
	CodeCanceled           Code = 1
	CodeUnknown            Code = 2
	CodeInvalidArgument    Code = 3
	CodeDeadlineExceeded   Code = 4
	CodeNotFound           Code = 5
	CodeAlreadyExists      Code = 6
	CodePermissionDenied   Code = 7
	CodeResourceExhausted  Code = 8
	CodeFailedPrecondition Code = 9
	CodeAborted            Code = 10
	CodeOutOfRange         Code = 11
	CodeUnimplemented      Code = 12
	CodeInternal           Code = 13
	CodeUnavailable        Code = 14
	CodeDataLoss           Code = 15
	CodeUnauthenticated    Code = 16
)

// String returns the code's name.
func (c Code) String() string {
	names := [...]string{
		CodeOK:                 "OK",
		CodeCanceled:           "Canceled",
		CodeUnknown:            "Unknown",
		CodeInvalidArgument:    "InvalidArgument",
		CodeDeadlineExceeded:   "DeadlineExceeded",
		CodeNotFound:           "NotFound",
		CodeAlreadyExists:      "AlreadyExists",
		CodePermissionDenied:   "PermissionDenied",
		CodeResourceExhausted:  "ResourceExhausted",
		CodeFailedPrecondition: "FailedPrecondition",
		CodeAborted:            "Aborted",
		CodeOutOfRange:         "OutOfRange",
		CodeUnimplemented:      "Unimplemented",
		CodeInternal:           "Internal",
		CodeUnavailable:        "Unavailable",
		CodeDataLoss:           "DataLoss",
		CodeUnauthenticated:    "Unauthenticated",
	}

	if uint64(c) < uint64(len(names)) {
		return names[c]
	}

	return fmt.Sprintf("Code(%d)", uint32(c))
}

// Error is a failure with its code.
type Error struct {
	Code Code
	Err  error
	// Reason says more than the code does, where there is more to say: one of the Reason
	// constants of machineops/v1alpha3, for programs to decide on.
	Reason string
}

// NewError returns an error with a code and a formatted text; %w works as in
// fmt.Errorf.
func NewError(code Code, format string, arguments ...any) *Error {
	return &Error{Code: code, Err: fmt.Errorf(format, arguments...)}
}

// Error returns the cause's text, or the code's name where there is no cause.
func (e *Error) Error() string {
	switch {
	case e == nil:
		return CodeUnknown.String()
	case e.Err == nil:
		return e.Code.String()
	}

	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}

	return e.Err
}

// ReasonOf returns the reason of the nearest *Error in err's chain; "" where there is
// none.
func ReasonOf(err error) string {
	var coded *Error
	if errors.As(err, &coded) && coded != nil {
		return coded.Reason
	}

	return ""
}

// CodeOf returns the code of the nearest *Error in err's chain: CodeOK for nil,
// CodeUnknown where there is none.
func CodeOf(err error) Code {
	if err == nil {
		return CodeOK
	}

	var coded *Error
	if errors.As(err, &coded) && coded != nil {
		return coded.Code
	}

	return CodeUnknown
}
