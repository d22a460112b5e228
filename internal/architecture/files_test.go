package architecture

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maximumLines is where a Go file stops holding one thing.
const maximumLines = 600

// repositoryFiles returns the text files of the repository by path below root,
// without what tools and builds leave behind.
func repositoryFiles(t *testing.T, root string) map[string][]byte {
	t.Helper()

	files := map[string][]byte{}

	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		name := entry.Name()
		if entry.IsDir() {
			generated := name == "bin" || name == "dist"
			if path != root && (generated || (strings.HasPrefix(name, ".") && name != ".ci")) {
				return filepath.SkipDir
			}

			return nil
		}

		if !entry.Type().IsRegular() || name == "go.sum" {
			return nil
		}

		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		if !bytes.ContainsRune(content, 0) {
			files[filepath.ToSlash(relative)] = content
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return files
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()

	root := moduleRoot(t)

	for _, listed := range listPackages(t) {
		name := "doc.go"
		if listed.Name == "main" {
			name = "main.go"
		}

		path := filepath.Join(listed.Dir, name)

		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Errorf("%s: %v", listed.ImportPath, err)

			continue
		}

		want := "Package " + listed.Name + " "
		if listed.Name == "main" && listed.Dir != root {
			want = "Command " + filepath.Base(listed.Dir) + " "
		} else if listed.Name == "main" {
			want = "Command terraform-provider-machine "
		}

		if !strings.HasPrefix(file.Doc.Text(), want) {
			t.Errorf("%s does not begin with a comment %q", path, want+"...")
		}
	}
}

func TestFilesStaySmall(t *testing.T) {
	t.Parallel()

	for path, content := range repositoryFiles(t, moduleRoot(t)) {
		if lines := bytes.Count(content, []byte("\n")); strings.HasSuffix(path, ".go") && lines > maximumLines {
			t.Errorf("%s has %d lines, more than %d: a file should hold one thing", path, lines, maximumLines)
		}
	}
}

// privateWords returns what only this machine would write into a file: the hosts
// it fetches modules from, and where its checkout and its caches are.
func privateWords(t *testing.T) []string {
	t.Helper()

	output, err := exec.CommandContext(t.Context(), "go", "env", "GOPROXY", "GOSUMDB", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}

	words := regexp.MustCompile(`([a-z0-9-]+\.)+[a-z]{2,}`).FindAllString(strings.Join(strings.SplitN(string(output), "\n", 3)[:2], " "), -1)

	for _, path := range append(strings.Fields(string(output))[2:], moduleRoot(t)) {
		if strings.Count(path, string(filepath.Separator)) > 1 {
			words = append(words, path)
		}
	}

	slices.Sort(words)

	return slices.Compact(words)
}

// privateMentions returns one sentence for each line that holds one of the words
// as a whole.
func privateMentions(path string, content []byte, words []string) []string {
	var found []string

	for number, line := range strings.Split(string(content), "\n") {
		for _, word := range words {
			if !strings.Contains(line, word) {
				continue
			}

			whole := regexp.MustCompile(`(^|[^A-Za-z0-9_.-])` + regexp.QuoteMeta(word) + `($|[^A-Za-z0-9_-])`)
			if whole.MatchString(line) {
				found = append(found, fmt.Sprintf("%s:%d names %s", path, number+1, word))
			}
		}
	}

	return found
}

func TestNoFileNamesTheMachineItWasWrittenOn(t *testing.T) {
	t.Parallel()

	words := privateWords(t)
	for path, content := range repositoryFiles(t, moduleRoot(t)) {
		for _, mention := range privateMentions(path, content, words) {
			t.Error(mention)
		}
	}
}

func TestMentionsOfTheMachineAreFound(t *testing.T) {
	t.Parallel()

	words := []string{"modules.example.net", "/home/someone/checkout"}

	for line, want := range map[string]int{
		"GOPROXY=https://modules.example.net,direct":       1,
		"see /home/someone/checkout/main.go":               1,
		`"/home/someone/checkout"`:                         1,
		"/mnt/home/someone/checkout":                       0,
		"other-modules.example.net":                        0,
		"/home/someone/checkout-of-another":                0,
		"modules.example.net and /home/someone/checkout/x": 2,
	} {
		if got := privateMentions("file", []byte("first line\n"+line+"\n"), words); len(got) != want {
			t.Errorf("in %q found %q, want %d", line, got, want)
		}
	}

	if len(privateWords(t)) == 0 {
		t.Error("found no word that names this machine, not even the place of the checkout")
	}
}
