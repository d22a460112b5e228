package ecs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Credentials is a source of access keys. It is asked anew for every attempt of
// every call, and by many goroutines at once, so a source that refreshes caches.
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

// EnvironmentCredentials gives the key in the environment variables that this
// cloud's tools read: the ALIBABA_CLOUD_ family, else ALICLOUD_, else
// ALIBABACLOUD_. A family is taken whole: a half-set one is an error, as the
// other half of another family belongs to another key. lookup is os.LookupEnv.
func EnvironmentCredentials(lookup func(string) (string, bool)) Credentials {
	return credentialsFunc(func(context.Context) (CredentialValue, error) {
		return credentialsFromEnvironment(lookup)
	})
}

type credentialVariables struct {
	accessKeyID, accessKeySecret, securityToken string
}

func credentialFamilies() []credentialVariables {
	return []credentialVariables{
		{"ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "ALIBABA_CLOUD_SECURITY_TOKEN"},
		{"ALICLOUD_ACCESS_KEY", "ALICLOUD_SECRET_KEY", "ALICLOUD_SECURITY_TOKEN"},
		{"ALIBABACLOUD_ACCESS_KEY_ID", "ALIBABACLOUD_ACCESS_KEY_SECRET", "ALIBABACLOUD_SECURITY_TOKEN"},
	}
}

func credentialsFromEnvironment(lookup func(string) (string, bool)) (CredentialValue, error) {
	var looked []string
	for _, family := range credentialFamilies() {
		value := CredentialValue{
			AccessKeyID:     environmentValue(lookup, family.accessKeyID),
			AccessKeySecret: environmentValue(lookup, family.accessKeySecret),
			SecurityToken:   environmentValue(lookup, family.securityToken),
		}
		switch {
		case value.AccessKeyID != "" && value.AccessKeySecret != "":
			return value, nil
		case value.AccessKeyID != "":
			return CredentialValue{}, fmt.Errorf("%s is set but %s is not", family.accessKeyID, family.accessKeySecret)
		case value.AccessKeySecret != "":
			return CredentialValue{}, fmt.Errorf("%s is set but %s is not", family.accessKeySecret, family.accessKeyID)
		}
		looked = append(looked, family.accessKeyID+" and "+family.accessKeySecret)
	}
	return CredentialValue{}, fmt.Errorf("no credentials in the environment: looked for %s", strings.Join(looked, ", "))
}
