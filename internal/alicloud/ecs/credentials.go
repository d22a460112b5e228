package ecs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Credentials is a source of access keys. It is asked anew for every attempt of
// every call, and by many goroutines at once, so a source that refreshes caches.
// A source may also have a method Expired(CredentialValue), which is told of a
// value that the API takes for expired.
type Credentials interface {
	// Credentials returns the value to sign with now.
	Credentials(ctx context.Context) (CredentialValue, error)
}

// CredentialValue is an access key, with a security token if it is temporary. It
// prints, formats, logs and marshals without its secrets.
type CredentialValue struct {
	AccessKeyID     string
	AccessKeySecret string
	SecurityToken   string
}

const masked = "(masked)"

// String tells nothing of the value.
func (CredentialValue) String() string { return "credentials " + masked }

// GoString tells nothing of the value.
func (value CredentialValue) GoString() string { return value.String() }

// Format tells nothing of the value, whatever the verb.
func (value CredentialValue) Format(state fmt.State, _ rune) {
	// A failed write to a formatter has nobody to be told to.
	_, _ = io.WriteString(state, value.String())
}

// MarshalJSON tells nothing of the value.
func (value CredentialValue) MarshalJSON() ([]byte, error) {
	return []byte(`"` + value.String() + `"`), nil
}

// LogValue tells nothing of the value.
func (value CredentialValue) LogValue() slog.Value { return slog.StringValue(value.String()) }

func (value CredentialValue) validate() error {
	switch {
	case value.AccessKeyID == "" && value.AccessKeySecret == "":
		return errors.New("access key ID and access key secret are empty")
	case value.AccessKeyID == "":
		return errors.New("the access key ID is empty")
	case value.AccessKeySecret == "":
		return errors.New("the access key secret is empty")
	}
	return nil
}

// credentialsFunc keeps what it needs in a closure, which no formatter can open.
type credentialsFunc func(ctx context.Context) (CredentialValue, error)

func (source credentialsFunc) Credentials(ctx context.Context) (CredentialValue, error) {
	return source(ctx)
}

// StaticCredentials always gives this key; securityToken is empty for a
// long-lived one. An incomplete key is an error at its first use.
func StaticCredentials(accessKeyID, accessKeySecret, securityToken string) Credentials {
	value := CredentialValue{AccessKeyID: accessKeyID, AccessKeySecret: accessKeySecret, SecurityToken: securityToken}
	return credentialsFunc(func(context.Context) (CredentialValue, error) {
		return value, value.validate()
	})
}
