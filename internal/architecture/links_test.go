package architecture

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// markdownLink finds the target of [text](target).
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// heading finds what can be jumped to.
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	// notInAnchor is what a heading loses when it becomes an anchor.
	notInAnchor = regexp.MustCompile(`[^a-z0-9 _-]`)
	// namedAnchor finds an anchor that a page sets itself, as generated ones do.
	namedAnchor = regexp.MustCompile(`<a id="([^"]+)"></a>`)
)

// pageAt returns the text of the page that a link leads to. The pages of docs/ name each
// other without the extension, as a registry serves them.
func pageAt(file string) (string, bool) {
	for _, name := range []string{file, file + ".md"} {
		info, err := os.Stat(name)
		if err != nil {
			continue
		}

		if info.IsDir() {
			return "", true
		}

		content, err := os.ReadFile(name)

		return string(content), err == nil
	}

	return "", false
}

// anchors are the places of a page that can be jumped to.
func anchors(page string) map[string]bool {
	found := map[string]bool{}

	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		name := notInAnchor.ReplaceAllString(strings.ToLower(match[1]), "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}

	for _, match := range namedAnchor.FindAllStringSubmatch(page, -1) {
		found[match[1]] = true
	}

	return found
}

// brokenLinks returns the targets of a page that lead nowhere below root.
func brokenLinks(root, name, content string) []string {
	var broken []string

	for _, match := range markdownLink.FindAllStringSubmatch(content, -1) {
		target := match[1]
		if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
			continue
		}

		file, anchor, _ := strings.Cut(target, "#")

		page, found := content, true
		if file != "" {
			page, found = pageAt(filepath.Join(root, filepath.FromSlash(path.Join(path.Dir(name), file))))
		}

		if !found || (anchor != "" && !anchors(page)[anchor]) {
			broken = append(broken, target)
		}
	}

	return broken
}

func TestEveryLinkInsideTheRepositoryLeadsSomewhere(t *testing.T) {
	t.Parallel()

	root := moduleRoot(t)
	links := 0

	for name, content := range repositoryFiles(t, root) {
		// A template's links are checked on the page that is made of it.
		if !strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "templates/") {
			continue
		}

		links += len(markdownLink.FindAll(content, -1))

		for _, target := range brokenLinks(root, name, string(content)) {
			t.Errorf("%s links to %s, which is not there", name, target)
		}
	}

	if links == 0 {
		t.Error("no page has a link")
	}
}

func TestABrokenLinkIsFound(t *testing.T) {
	t.Parallel()

	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "there.md"), []byte("# A page: of words\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	page := "# Here\n[a](there.md) [b](there) [c](there#a-page-of-words) [d](#here) [e](https://example.test/x)\n" +
		"[f](missing.md) [g](there#another) [h](#nowhere)\n"

	if got := strings.Join(brokenLinks(root, "page.md", page), " "); got != "missing.md there#another #nowhere" {
		t.Errorf("found %q", got)
	}
}
