package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const moduleRoot = "../../.."

// A change of what users read has to be seen by whoever looks at the change.
func TestWhatIsSaidIsWrittenDown(t *testing.T) {
	t.Parallel()

	files, err := generate(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}

	for name, content := range files {
		written, err := os.ReadFile(filepath.Join(moduleRoot, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}

		if !bytes.Equal(written, content) {
			t.Errorf("%s is not what the source says: run make docs, and look at what changed", name)
		}
	}
}

// Somebody who reads an error has to be told what to do next, or at least what happened
// in more words than a cause alone.
func TestEveryDiagnosticSaysMoreThanItsCause(t *testing.T) {
	t.Parallel()

	source, err := readPackage(filepath.Join(moduleRoot, "internal", "provider"), "internal/provider")
	if err != nil {
		t.Fatal(err)
	}

	diagnostics := 0

	for _, m := range source.messages() {
		if m.severity == severityPart {
			continue
		}

		diagnostics++

		own := m.detail.with(func(string) string { return "" })
		whole := m.detail.with(func(hole string) string { return "{" + hole + "}" })

		if own != whole && len(strings.Fields(own)) < 3 && !saidElsewhere(m) {
			t.Errorf("%s: %s: %q says nothing but %s", m.file, m.function, readable(m.summary), whole)
		}
	}

	if diagnostics < 100 {
		t.Errorf("found only %d diagnostics", diagnostics)
	}
}

// saidElsewhere reports whether the detail is a text that the package makes in another
// place, where it is among the texts.
func saidElsewhere(m message) bool {
	for _, p := range m.detail {
		for _, maker := range []string{"problem", "text", "elementText", "readRemedy", "found.detail", "afterwards", "detail", "one.Detail", "refusedText"} {
			if strings.HasPrefix(p.hole, maker) {
				return true
			}
		}
	}

	return false
}

func TestTextsAreReadFromTheSource(t *testing.T) {
	t.Parallel()

	directory := t.TempDir()

	const code = "package p\n\nconst much = \"too much of it\"\n\n" +
		"func say(d D, name string, err error) {\n" +
		"\td.AddError(fmt.Sprintf(\"Cannot do %q\", name), err.Error()+\". It is \"+much+\".\\n\\nTry <again>.\")\n" +
		"\td.AddAttributeWarning(path.Root(\"a\"), \"All is well\", \"There is nothing to do\")\n" +
		"\td.AddError(both())\n" +
		"\tlog.InfoContext(ctx, \"this is for the log\")\n" +
		"\t_ = A{MarkdownDescription: \"this is for the documentation\"}\n" +
		"\t_ = fmt.Errorf(\"%d of %s are left: %w\", 3, x.String(), err)\n" +
		"\t_ = \"short text\"\n}\n\n" +
		"func both() (string, string) { return \"Two at once\", \"There are two of them\" }\n"

	if err := os.WriteFile(filepath.Join(directory, "p.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}

	source, err := readPackage(directory, "p")
	if err != nil {
		t.Fatal(err)
	}

	_, written, _ := strings.Cut(string(texts(source.messages())), "==")

	const want = ` p/p.go
	too much of it

say
	Error: Cannot do "{name}"
		{err}. It is too much of it.
		Try <again>.
	Warning: All is well
		There is nothing to do
	Error: Two at once
		There are two of them
	{3} of {x} are left: {err}

both
	Two at once
	There are two of them
`
	if written != want {
		t.Errorf("read\n%s\nwant\n%s", written, want)
	}

	if page := string(guide(source.messages())); !strings.Contains(page, "\n### Cannot do \"…\"\n\n…. It is too much of it.\n\nTry \\<again>.\n") ||
		strings.Index(page, "### Cannot do") > strings.Index(page, "### Two at once") {
		t.Errorf("the page is\n%s", page)
	}
}
