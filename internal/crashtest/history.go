package crashtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// history tells what happened in a cloud: its calls, by whom, and what they changed, in
// seconds of the cloud's clock. The messages of the commands stand below it.
func history(cloud *ecsemulator.Server, messages string) string {
	type line struct {
		at   time.Time
		text string
	}

	var lines []line

	for _, call := range cloud.Calls() {
		who := "successor"
		if call.AccessKeyID == victimKey {
			who = "victim"
		}

		lines = append(lines, line{call.Time, fmt.Sprintf("%-9s %s %s", who, call.Action, call.Code)})
	}

	for _, effect := range cloud.Journal() {
		lines = append(lines, line{effect.Time, fmt.Sprintf("%-9s %s %s", "", effect.InstanceID, effect.Effect)})
	}

	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })

	var text strings.Builder

	for _, l := range lines {
		fmt.Fprintf(&text, "%8.1f  %s\n", l.at.Sub(lines[0].at).Seconds(), l.text)
	}

	text.WriteString(messages)

	return text.String()
}
