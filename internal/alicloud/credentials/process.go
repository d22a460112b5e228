package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

const processTimeout = time.Minute

// processSource gives the key that a command prints, as a profile of the mode AK
// or StsToken.
func processSource(command string) (source, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("process_command is missing")
	}
	return func(ctx context.Context) (key, error) {
		ctx, cancel := context.WithTimeout(ctx, processTimeout)
		defer cancel()
		process := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // G204: the user's profile names the command.
		process.WaitDelay = time.Second
		var printed bytes.Buffer
		process.Stdout = &printed
		if err := process.Run(); err != nil {
			// What it printed may be a key.
			return key{}, fmt.Errorf("the profile's command %s: %w", words[0], err)
		}
		return readPrinted(words[0], printed.Bytes())
	}, nil
}

func readPrinted(command string, printed []byte) (key, error) {
	var told struct {
		Mode            string `json:"mode"`
		AccessKeyID     string `json:"access_key_id"`
		AccessKeySecret string `json:"access_key_secret"`
		StsToken        string `json:"sts_token"`
		Expiration      string `json:"expiration"`
	}
	if json.Unmarshal(printed, &told) != nil || told.AccessKeyID == "" || told.AccessKeySecret == "" {
		return key{}, fmt.Errorf("the profile's command %s did not print the JSON of a key (mode, access_key_id, access_key_secret, sts_token)", command)
	}
	found := key{CredentialValue: ecs.CredentialValue{AccessKeyID: told.AccessKeyID, AccessKeySecret: told.AccessKeySecret, SecurityToken: told.StsToken}}
	if told.Expiration != "" {
		ends, err := time.Parse(time.RFC3339, told.Expiration)
		if err != nil {
			return key{}, fmt.Errorf("the profile's command %s printed an expiration that is no time", command)
		}
		found.ends = ends
	}
	return found, nil
}
