package ecsemulator

import (
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manual is docs/emulator.md.
func manual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/emulator.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// chapter is the part of the manual under a heading, up to the next of that level or a higher one.
func chapter(t *testing.T, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut("\n"+manual(t), "\n"+heading+"\n")
	if !found {
		t.Fatalf("docs/emulator.md has no %q", heading)
	}
	level := strings.Count(strings.Fields(heading)[0], "#")
	end := regexp.MustCompile(`(?m)^#{1,` + string(rune('0'+level)) + `} `).FindStringIndex(rest)
	if end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// column gives the code in a column of the tables of a text, from 0.
func column(text string, n int) []string {
	var found []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < n+3 {
			continue
		}
		if code, isCode := strings.CutPrefix(strings.TrimSpace(cells[n+1]), "`"); isCode {
			name, _, _ := strings.Cut(code, "`")
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

func compare(t *testing.T, what string, documented, implemented []string) {
	t.Helper()
	slices.Sort(implemented)
	if len(implemented) == 0 || !slices.Equal(documented, implemented) {
		t.Errorf("%s: docs/emulator.md tells of\n%v\nand there are\n%v", what, documented, implemented)
	}
}

func TestManualListsTheActionsThatThereAre(t *testing.T) {
	t.Parallel()
	for heading, version := range map[string]service{
		"### ECS, version 2014-05-26": serviceECS, "### VPC, version 2016-04-28": serviceVPC, "### STS, version 2015-04-01": serviceSTS,
	} {
		var implemented []string
		for _, a := range allActions() {
			if a.service == version {
				implemented = append(implemented, a.name)
			}
		}
		compare(t, heading, column(chapter(t, heading), 0), implemented)
	}
}

func TestManualListsTheSwitchesThatThereAre(t *testing.T) {
	t.Parallel()
	var implemented []string
	for field := range reflect.TypeFor[Behavior]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		implemented = append(implemented, name)
	}
	compare(t, "switches", column(chapter(t, "## Open questions"), 1), implemented)
}

func TestManualListsTheKindsOfRulesThatThereAre(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("rule.go")
	if err != nil {
		t.Fatal(err)
	}
	var implemented []string
	for _, kind := range regexp.MustCompile(`Rule\w+ +RuleKind = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
		implemented = append(implemented, kind[1])
	}
	for _, kind := range []RuleKind{RuleStop, RuleRelease, RuleReclaim, RuleLock, RuleUnlock} {
		implemented = append(implemented, string(kind))
	}
	compare(t, "rules", column(chapter(t, "## Faults"), 0), implemented)
}

// The package comment lists the control API; that list and the one of the manual are the same, and each entry is served.
func TestManualListsTheControlAPI(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var implemented []string
	for _, entry := range regexp.MustCompile(`(?m)^//\t(GET|POST|PUT|DELETE) +(/\S*)`).FindAllStringSubmatch(string(source), -1) {
		path, _, _ := strings.Cut(entry[2], "?")
		implemented = append(implemented, entry[1]+" "+strings.TrimSuffix(path, ";"))
	}
	server, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	for _, entry := range implemented {
		method, path, _ := strings.Cut(entry, " ")
		path = strings.NewReplacer("{id}", "none", "{name}", "none").Replace(path) + "?timeout_seconds=0.01"
		answer := httptest.NewRecorder()
		server.controlHandler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, path, nil))
		if kind := answer.Header().Get("Content-Type"); strings.HasPrefix(kind, "text/plain") || answer.Code >= 500 {
			t.Errorf("%s is not served: %d %s", entry, answer.Code, answer.Body)
		}
	}
	compare(t, "control API", column(chapter(t, "## Control API"), 0), implemented)
}

// TestTheManualHasTheCatalogue compares what the manual says there is with the catalogue.
func TestTheManualHasTheCatalogue(t *testing.T) {
	t.Parallel()
	catalogue, err := DefaultCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	var images, families, networks []string
	for _, image := range catalogue.Images {
		images = append(images, image.ID)
	}
	for _, instanceType := range catalogue.InstanceTypes {
		if !slices.Contains(families, instanceType.Family) {
			families = append(families, instanceType.Family)
		}
	}
	text := chapter(t, "## The catalogue")
	for _, region := range catalogue.Regions {
		for _, vpc := range region.VPCs {
			networks = append(networks, vpc.ID)
			for _, vswitch := range vpc.VSwitches {
				if !strings.Contains(text, "`"+vswitch.ID+"` (") {
					t.Errorf("docs/emulator.md lacks the vSwitch %s", vswitch.ID)
				}
			}
		}
	}
	compare(t, "networks, images and families", column(text, 0), slices.Concat(networks, images, families))
}
