package alicloud

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const resumeTokenVersion = 1

// resumeToken is what Poll needs in another process. It is stored readably, and
// holds no secret.
type resumeToken struct {
	Version int `json:"v"`
	// Region and InstanceID are what was launched.
	Region     string `json:"region,omitempty"`
	InstanceID string `json:"instance,omitempty"`
	// Releasing are the provider IDs of what is being released.
	Releasing []string `json:"releasing,omitempty"`
	// Disks is what became of the data disks of what is being released, in words.
	Disks []string `json:"disks,omitempty"`
	// AnsweredAt is when the call that began the operation was answered.
	AnsweredAt time.Time `json:"answered_at"`
}

func (t resumeToken) encode() (string, error) {
	t.Version = resumeTokenVersion

	return encodeToken(t)
}

func decodeResumeToken(text string) (resumeToken, error) {
	var token resumeToken

	err := decodeToken(text, &token)
	if err == nil {
		err = checkTokenVersion(token.Version)
	}

	return token, err
}

func encodeToken(token any) (string, error) {
	text, err := json.Marshal(token)
	if err != nil {
		return "", fmt.Errorf("encoding the resume token: %w", err)
	}

	return base64.RawURLEncoding.EncodeToString(text), nil
}

// decodeToken reads a token. One that another kind of operation wrote has other
// fields, and is refused.
func decodeToken(text string, token any) error {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return tokenError(err)
	}

	decoder := json.NewDecoder(bytes.NewReader(decoded))
	decoder.DisallowUnknownFields()

	if err := decoder.Decode(token); err != nil {
		return tokenError(err)
	}

	return nil
}

func checkTokenVersion(version int) error {
	if version == resumeTokenVersion {
		return nil
	}

	return tokenError(fmt.Errorf("it has version %d, and this provider reads version %d", version, resumeTokenVersion))
}

func tokenError(err error) error {
	return &machineops.PermanentError{
		Reason: v1alpha3.ReasonInvalidConfiguration,
		Err:    fmt.Errorf("reading the resume token: %w", err),
	}
}
