package crashtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Setting is what differs around a scenario. The zero value is the plain one: state
// in a local file, machines listed at once, the cloud's documented treatment of
// client tokens, every permission.
type Setting struct {
	// RemoteState keeps the state behind HTTP, where Terraform saves late.
	RemoteState bool
	// UnlistedSeconds is how long a new machine is left out of reads.
	UnlistedSeconds int
	// ReplayFails lets a client token fail once its machines are released.
	ReplayFails bool
	// RefusalBurns lets any refusal use up its client token.
	RefusalBurns bool
	// MarkDenied takes away the permission to mark machines as settled.
	MarkDenied bool
}

// plainName stands for the zero Setting.
const plainName = "plain"

// Name names the setting by what differs from the plain one, such as
// remote+unlisted20.
func (s Setting) Name() string {
	var parts []string

	for _, part := range []struct {
		set  bool
		name string
	}{
		{s.RemoteState, "remote"},
		{s.UnlistedSeconds > 0, "unlisted" + strconv.Itoa(s.UnlistedSeconds)},
		{s.ReplayFails, "replayfails"},
		{s.RefusalBurns, "burns"},
		{s.MarkDenied, "unmarked"},
	} {
		if part.set {
			parts = append(parts, part.name)
		}
	}

	if len(parts) == 0 {
		return plainName
	}

	return strings.Join(parts, "+")
}

// ParseSetting reads the name of a setting.
func ParseSetting(name string) (Setting, error) {
	var setting Setting

	if name == plainName {
		return setting, nil
	}

	for _, part := range strings.Split(name, "+") {
		unlisted, isUnlisted := strings.CutPrefix(part, "unlisted")

		switch {
		case part == "remote":
			setting.RemoteState = true
		case part == "replayfails":
			setting.ReplayFails = true
		case part == "burns":
			setting.RefusalBurns = true
		case part == "unmarked":
			setting.MarkDenied = true
		case isUnlisted:
			seconds, err := strconv.Atoi(unlisted)
			if err != nil || seconds < 1 {
				return setting, fmt.Errorf("setting %q: %q is not a number of seconds", name, unlisted)
			}

			setting.UnlistedSeconds = seconds
		default:
			return setting, fmt.Errorf("setting %q: %q is unknown", name, part)
		}
	}

	return setting, nil
}

func (s Setting) behavior() ecsemulator.Behavior {
	var behavior ecsemulator.Behavior
	if s.ReplayFails {
		behavior.ReplayAfterRelease = ecsemulator.ReplayFails
	}

	if s.RefusalBurns {
		behavior.TokenBurn = ecsemulator.BurnAlways
	}

	return behavior
}

// rules deny what the setting denies. The tag may be any of those in one call.
func (s Setting) rules() []ecsemulator.Rule {
	if !s.MarkDenied {
		return nil
	}

	var rules []ecsemulator.Rule

	for i := 1; i <= 20; i++ {
		rules = append(rules, ecsemulator.Rule{
			Kind: ecsemulator.RuleDeny, Action: "TagResources",
			Parameters: map[string]string{fmt.Sprintf("Tag.%d.Key", i): settledTag},
		})
	}

	return rules
}

// variation is a setting with an ending.
type variation struct {
	setting Setting
	ending  Ending
}

// pairwise is a covering table: with the plain setting, which has both endings, any
// two values of two axes meet. Columns are remote, unlisted for 20 s, replayfails,
// burns, unmarked, destroy.
func pairwise() []variation {
	rows := [][6]bool{
		{true, true, true, true, true, true},
		{true, true, false, false, true, false},
		{true, false, true, true, false, false},
		{false, true, true, false, false, true},
		{false, true, false, true, false, false},
		{false, false, true, false, true, false},
		{true, false, false, true, true, true},
	}

	table := make([]variation, 0, len(rows))

	for _, row := range rows {
		made := variation{
			setting: Setting{RemoteState: row[0], ReplayFails: row[2], RefusalBurns: row[3], MarkDenied: row[4]},
			ending:  Apply,
		}

		if row[1] {
			made.setting.UnlistedSeconds = 20
		}

		if row[5] {
			made.ending = Destroy
		}

		table = append(table, made)
	}

	return table
}

// pairwiseWithoutLaunch is such a table of the axes that matter where no machine is
// launched or released: remote, unmarked and destroy.
func pairwiseWithoutLaunch() []variation {
	return []variation{
		{setting: Setting{RemoteState: true, MarkDenied: true}, ending: Destroy},
		{setting: Setting{RemoteState: true}, ending: Apply},
		{setting: Setting{MarkDenied: true}, ending: Apply},
	}
}
