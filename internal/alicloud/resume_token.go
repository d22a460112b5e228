package alicloud

import (
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
	// AnsweredAt is when the call that began the operation was answered.
	AnsweredAt time.Time `json:"answered_at"`
}

func (t resumeToken) encode() (string, error) {
	t.Version = resumeTokenVersion

	text, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("encoding the resume token: %w", err)
	}

	return base64.RawURLEncoding.EncodeToString(text), nil
}

func decodeResumeToken(text string) (resumeToken, error) {
	var token resumeToken

	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(decoded, &token)
	}

	if err == nil && token.Version != resumeTokenVersion {
		err = fmt.Errorf("it has version %d, and this provider reads version %d", token.Version, resumeTokenVersion)
	}

	if err != nil {
		return resumeToken{}, &machineops.PermanentError{
			Reason: v1alpha3.ReasonInvalidConfiguration,
			Err:    fmt.Errorf("reading the resume token: %w", err),
		}
	}

	return token, nil
}
