package alicloud

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// mostNamed is how many of those that one reason leaves out are named in a line.
const mostNamed = 8

// exclusions are what a class leaves out, by reason.
type exclusions struct {
	reasons []string
	named   map[string][]string
}

// add notes that something is left out. What names it, reason says why. The same twice
// in a row counts once; nothing comes back later, as types are gone through one by one.
func (e *exclusions) add(what, reason string) {
	if e.named == nil {
		e.named = map[string][]string{}
	}

	if _, known := e.named[reason]; !known {
		e.reasons = append(e.reasons, reason)
	}

	if named := e.named[reason]; len(named) == 0 || named[len(named)-1] != what {
		e.named[reason] = append(named, what)
	}
}

// lines returns one line for each reason.
func (e *exclusions) lines() []string {
	lines := make([]string, 0, len(e.reasons))

	for _, reason := range e.reasons {
		named := e.named[reason]

		more := ""
		if len(named) > mostNamed {
			more = fmt.Sprintf(" and %d more", len(named)-mostNamed)
			named = named[:mostNamed]
		}

		lines = append(lines, strings.Join(named, ", ")+more+": "+reason)
	}

	return lines
}

// list returns them as the driver tells them.
func (e *exclusions) list() []driver.Exclusion {
	list := make([]driver.Exclusion, 0, len(e.reasons))
	for _, reason := range e.reasons {
		list = append(list, driver.Exclusion{Reason: reason, Names: slices.Clone(e.named[reason])})
	}

	return list
}

func (e *exclusions) text() string {
	var text strings.Builder

	for _, line := range e.lines() {
		text.WriteString("\n- " + line)
	}

	return text.String()
}
