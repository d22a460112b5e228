package alicloud

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// The bounds of a launch (RunInstances, "Request parameters").
const (
	longestInstanceName = 128
	longestHostName     = 64
	largestUserData     = 32 << 10
	mostTags            = 20
	longestTagText      = 128
)

// hostNamePattern takes dots and hyphens neither first, nor last, nor side by side.
var hostNamePattern = regexp.MustCompile(`^[a-zA-Z0-9]+([.-][a-zA-Z0-9]+)*$`)

// launched is an accepted launch.
type launched struct {
	instanceID string
	requestID  string
	// lostAnswers is also set when the launch failed.
	lostAnswers int
}

// runInstance launches one instance. The same input again is the same call, which
// ECS answers with the same instance. Callers check the input first.
func runInstance(ctx context.Context, client *ecs.Client, input ecs.RunInstancesInput) (launched, error) {
	output, err := client.RunInstances(ctx, input)
	if err != nil {
		return launched{lostAnswers: output.LostAnswers}, fmt.Errorf("launching %s (%s in %s): %w", input.InstanceName, input.InstanceType, placeOf(input), err)
	}

	if len(output.InstanceIDs) != 1 {
		return launched{lostAnswers: output.LostAnswers}, fmt.Errorf("launching %s: ECS accepted the launch of one instance and named %d (request %s)",
			input.InstanceName, len(output.InstanceIDs), output.RequestID)
	}

	return launched{instanceID: output.InstanceIDs[0], requestID: output.RequestID, lostAnswers: output.LostAnswers}, nil
}

func placeOf(input ecs.RunInstancesInput) string {
	if input.Zone != "" {
		return input.Zone
	}

	return input.VSwitchID
}

// launchToken makes a ClientToken of what identifies a launch; ECS takes at most 64
// ASCII characters (RunInstances, "ClientToken").
func launchToken(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))

	return hex.EncodeToString(sum[:])
}

// checkLaunch returns one error that names everything about the launch that ECS
// would refuse. It quotes no user data.
func checkLaunch(input ecs.RunInstancesInput, usersTags map[string]string) error {
	problems := []error{checkInstanceName(input.InstanceName), checkHostName(input.HostName)}

	if size := len(input.UserData); size > largestUserData {
		problems = append(problems, fmt.Errorf("user data: it has %d bytes, and ECS takes at most %d", size, largestUserData))
	}

	problems = append(problems, checkTags(usersTags))

	if count := len(input.Tags); count > mostTags {
		problems = append(problems, fmt.Errorf("tags: the machine would have %d, %d of them this provider's own, and ECS allows %d",
			count, count-len(usersTags), mostTags))
	}

	return errors.Join(problems...)
}

// checkInstanceName takes what ECS takes, except the form name[begin,bits], which
// ECS replaces by a number.
func checkInstanceName(name string) error {
	length := utf8.RuneCountInString(name)
	first, _ := utf8.DecodeRuneInString(name)
	lower := strings.ToLower(name)

	switch {
	case length < 2 || length > longestInstanceName:
		return fmt.Errorf("name: %q has %d characters, and ECS takes 2 to %d", name, length, longestInstanceName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("name: %q has characters that cannot be shown", name)
	case !unicode.IsLetter(first):
		return fmt.Errorf("name: %q has to begin with a letter", name)
	case strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://"):
		return fmt.Errorf("name: %q must not begin with http:// or https://", name)
	case strings.ContainsAny(name, "[]"):
		return fmt.Errorf("name: %q must not have brackets, which ECS reads as a numbering", name)
	}

	return nil
}

func checkHostName(name string) error {
	if name == "" {
		return nil
	}

	if len(name) < 2 || len(name) > longestHostName || !hostNamePattern.MatchString(name) {
		return fmt.Errorf("host name: %q is not one: want 2 to %d letters and digits, with single dots or hyphens between them", name, longestHostName)
	}

	return nil
}

// checkTags checks tags that a user gave.
func checkTags(tags map[string]string) error {
	var problems []error

	for _, key := range slices.Sorted(maps.Keys(tags)) {
		lower := strings.ToLower(key)

		switch {
		case key == "" || utf8.RuneCountInString(key) > longestTagText:
			problems = append(problems, fmt.Errorf("tags: the key %q has to have 1 to %d characters", key, longestTagText))
		case strings.HasPrefix(key, driver.ReservedTagPrefix):
			problems = append(problems, fmt.Errorf("tags: the key %q is this provider's own; keys that begin with %s are reserved", key, driver.ReservedTagPrefix))
		case strings.HasPrefix(lower, "aliyun") || strings.HasPrefix(lower, "acs:"):
			problems = append(problems, fmt.Errorf("tags: the key %q is Alibaba Cloud's own: a key that begins with aliyun or acs: is refused", key))
		case hasScheme(lower):
			problems = append(problems, fmt.Errorf("tags: the key %q must not contain http:// or https://", key))
		case utf8.RuneCountInString(tags[key]) > longestTagText:
			problems = append(problems, fmt.Errorf("tags: the value of %q has more than %d characters", key, longestTagText))
		case hasScheme(strings.ToLower(tags[key])):
			problems = append(problems, fmt.Errorf("tags: the value of %q must not contain http:// or https://", key))
		}
	}

	return errors.Join(problems...)
}

func hasScheme(lower string) bool {
	return strings.Contains(lower, "http://") || strings.Contains(lower, "https://")
}
