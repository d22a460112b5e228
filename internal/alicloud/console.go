package alicloud

import "strings"

const (
	// longestConsoleTail bounds what is shown of a console, in bytes.
	longestConsoleTail = 4096
	// mostConsoleLines bounds it in lines.
	mostConsoleLines = 40
)

// consoleTail returns the last lines, without what would move a terminal's cursor or
// color it.
func consoleTail(text string) string {
	text = strings.ToValidUTF8(text, "?")
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}

		return r
	}, text)

	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	text = strings.Join(lines[max(0, len(lines)-mostConsoleLines):], "\n")

	if len(text) > longestConsoleTail {
		text = strings.ToValidUTF8(text[len(text)-longestConsoleTail:], "")
	}

	return text
}
