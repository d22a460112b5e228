package architecture

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// claimedTest finds the tests that a page names, with a part of theirs.
	claimedTest = regexp.MustCompile("`(Test[A-Za-z0-9]+)(?:/([^`]+))?`")
	// dependencyRow finds a module in the table of a page, and whether it is in the binary.
	dependencyRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (yes|no) \\| \\S")
	// directRequirement finds a module that go.mod requires, but for those that others bring
	// along.
	directRequirement = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)
)

func securityPage(t *testing.T) string {
	t.Helper()

	content, err := os.ReadFile(filepath.Join(moduleRoot(t), "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}

	return string(content)
}

// missingTests are the tests that a page names and that no test file has.
func missingTests(page string, files map[string][]byte) []string {
	var missing []string

	for _, claim := range claimedTest.FindAllStringSubmatch(page, -1) {
		found := false

		for name, content := range files {
			text := string(content)
			found = found || strings.HasSuffix(name, "_test.go") && strings.Contains(text, "func "+claim[1]+"(") &&
				(claim[2] == "" || strings.Contains(text, `"`+claim[2]+`"`))
		}

		if !found && !slices.Contains(missing, claim[0]) {
			missing = append(missing, claim[0])
		}
	}

	return missing
}

func TestEveryClaimOfSecurityHasItsTest(t *testing.T) {
	t.Parallel()

	page := securityPage(t)
	if claims := claimedTest.FindAllString(page, -1); len(claims) < 20 {
		t.Errorf("the page names only %d tests", len(claims))
	}

	for _, missing := range missingTests(page, repositoryFiles(t, moduleRoot(t))) {
		t.Errorf("docs/security.md rests on %s, which there is none of", missing)
	}
}

func TestAClaimWithoutATestIsFound(t *testing.T) {
	t.Parallel()

	files := map[string][]byte{"a_test.go": []byte("func TestThere(t *testing.T) {\n\"a part\": x,\n"), "b.go": []byte("func TestElsewhere(")}

	got := strings.Join(missingTests("`TestThere` `TestThere/a part` `TestThere/another` `TestElsewhere` `TestNowhere`", files), " ")
	if got != "`TestThere/another` `TestElsewhere` `TestNowhere`" {
		t.Errorf("found %s", got)
	}
}

func TestEveryDependencyHasItsReason(t *testing.T) {
	t.Parallel()

	root := moduleRoot(t)

	requirements, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}

	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	command.Dir = root

	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}

	compiled := strings.Fields(string(output))

	want := map[string]string{}

	for _, module := range directRequirement.FindAllStringSubmatch(string(requirements), -1) {
		want[module[1]] = "no"
		if slices.Contains(compiled, module[1]) {
			want[module[1]] = "yes"
		}
	}

	got := map[string]string{}
	for _, row := range dependencyRow.FindAllStringSubmatch(securityPage(t), -1) {
		got[row[1]] = row[2]
	}

	if len(want) == 0 || !maps.Equal(got, want) {
		t.Errorf("docs/security.md says of the modules\n%v\nand they are\n%v", got, want)
	}
}
