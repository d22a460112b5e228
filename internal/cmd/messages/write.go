package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

const textsHead = `Every text that the provider may say to a user, in the order of the source. {braces}
are what is known only when it is said. Written by make docs.
`

// texts is the file with all of them.
func texts(all []message) []byte {
	var content bytes.Buffer

	content.WriteString(textsHead)

	inBraces := func(hole string) string { return "{" + hole + "}" }
	file, function := "", ""

	for _, m := range all {
		if m.file != file {
			fmt.Fprintf(&content, "\n== %s\n", m.file)
			file, function = m.file, ""
		}

		if m.function != function {
			fmt.Fprintf(&content, "\n%s\n", m.function)
			function = m.function
		}

		line := m.detail.with(inBraces)
		if m.severity != severityPart {
			line = string(m.severity) + ": " + m.summary.with(inBraces) + "\n" + line
		}

		content.WriteString("\t" + strings.ReplaceAll(strings.ReplaceAll(line, "\n\n", "\n"), "\n", "\n\t\t") + "\n")
	}

	return content.Bytes()
}

const guideHead = `---
page_title: "Messages"
description: |-
  Every error and warning of the provider, and what to do about it.
---

# Messages

Every error and warning of the provider, in alphabetical order, as the source has them: "…" stands for what is known only when it is said, such as a machine's name, its
ID, or what ECS answered, with its code and request ID. After a refusal of ECS follows what to do about its kind, in place of "If it stays, ...". Where it may have
been another command than an apply that was refused, as a plan, a destroy or an import, that ends with "run the command again":

| ECS refuses for | Then |
|---|---|
%s
`

// guide is the page of the documentation.
func guide(all []message) []byte {
	var content bytes.Buffer

	fmt.Fprintf(&content, guideHead, strings.Join(remedyRows(all), "\n"))

	for _, chapter := range []struct {
		title    string
		severity severity
	}{{"Errors", severityError}, {"Warnings", severityWarning}} {
		fmt.Fprintf(&content, "\n## %s\n", chapter.title)

		entries := entriesOf(all, chapter.severity)

		for _, title := range slices.SortedFunc(maps.Keys(entries), byLetters) {
			fmt.Fprintf(&content, "\n### %s\n\n%s\n", title, strings.Join(entries[title], "\n\n"))
		}
	}

	return content.Bytes()
}

// byLetters compares titles by their first letter, whatever stands before it.
func byLetters(a, b string) int {
	letters := func(title string) string { return strings.ToLower(strings.TrimLeft(title, `"… `)) }

	return cmp.Or(cmp.Compare(letters(a), letters(b)), cmp.Compare(a, b))
}

// entriesOf are the details of one severity, by the summary.
func entriesOf(all []message, wanted severity) map[string][]string {
	entries := map[string][]string{}

	for _, m := range all {
		if m.severity != wanted {
			continue
		}

		title, detail := readable(m.summary), readable(m.detail)
		if !strings.ContainsFunc(title, unicode.IsLetter) {
			continue // It hands on what others say.
		}

		if !slices.Contains(entries[title], detail) {
			entries[title] = append(entries[title], detail)
		}
	}

	return entries
}

// readable is a text for the documentation, in which Markdown changes nothing.
func readable(t text) string {
	said := t.with(func(string) string { return "…" })

	return strings.NewReplacer("<", `\<`, "*", `\*`).Replace(strings.TrimSpace(said))
}

// remedyRows are what the provider says to do, by the kind of a refusal.
func remedyRows(all []message) []string {
	names := map[string]string{
		"Check the AccessKey": "wrong or expired credentials", "Grant the RAM user": "a missing permission", "Free what is no longer": "a quota",
		"Correct the configuration": "what the configuration says", "Alibaba Cloud refuses this": "the state of the account or the machine",
		"The machine belongs to": "another run that has taken the machine over", "Another run has": "another run that is at work on the machine", "Give credentials in": "no credentials at all",
		"The source of the credentials": "credentials whose source gives none", "Check the endpoint": "nothing: no call gets there",
		"The clock of this host": "the time of a call",
	}

	var rows []string

	for _, m := range all {
		if !strings.HasSuffix(m.file, "remedies.go") || m.severity != severityPart || !slices.Contains([]string{"remedies", "launchRemedies", "alicloudRemedies", "alicloudAnswerRemedy"}, m.function) {
			continue
		}

		for begin, kind := range names {
			if said := readable(m.detail); strings.HasPrefix(said, begin) {
				rows = append(rows, "| "+kind+" | "+said+" |")
			}
		}
	}

	return rows
}
