package machineops_test

import (
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"
)

const modulePath = "github.com/terraform-machine/terraform-provider-machine"

// TestSurfaceOfTheDocuments holds all that the given documents export against the
// code. Below testdata/surface stands one folder per document, and in it, at the
// place that the package has in this module, one file of Go declarations per
// package. Another document needs data only.
func TestSurfaceOfTheDocuments(t *testing.T) {
	t.Parallel()

	documents, err := os.ReadDir("testdata/surface")
	if err != nil {
		t.Fatal(err)
	}

	if len(documents) == 0 {
		t.Fatal("no document is listed")
	}

	for _, document := range documents {
		t.Run(document.Name(), func(t *testing.T) {
			t.Parallel()

			root := filepath.Join("testdata/surface", document.Name())
			packages := declaredPackages(t, root)
			imports := newExportImporter(t, packages)

			for _, name := range packages {
				t.Run(name, func(t *testing.T) {
					want := parseSurface(t, filepath.Join(root, name, "declarations.go"))

					got, err := imports.Import(path.Join(modulePath, name))
					if err != nil {
						t.Fatalf("load package: %v", err)
					}

					if name := want.awaited(); name != "" && got.Scope().Lookup(name) == nil {
						t.Skipf("%s is not written yet; the package is compared as soon as it is", name)
					}

					for _, difference := range want.differences(t, imports, got) {
						t.Error(difference)
					}
				})
			}
		})
	}
}

// declaredPackages lists the packages that a document declares, by their paths in
// the module.
func declaredPackages(t *testing.T, root string) []string {
	t.Helper()

	var packages []string

	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "declarations.go" {
			packages = append(packages, path.Dir(name))
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	if len(packages) == 0 {
		t.Fatalf("%s declares no package", root)
	}

	return packages
}

func TestSurfaceComparisonFindsEveryDifference(t *testing.T) {
	t.Parallel()

	const document = `package p
type Open struct { _ struct{}; A int }
type Closed struct { A int; B string }
type Opaque struct{}
func (o *Opaque) Do(a int) error
type Sealed interface { sealed() }
type Plain interface { Do() error }
type NotShown interface{}
type Word string
const Some Word = "some"
type Callback func(string) error
func Make(open Open, more ...int) *Opaque
//surface:implements Opaque p.Doer
`

	same := `package p
type Open struct { A int; Extra bool }
type Closed struct { A int; B string; hidden bool }
type Opaque struct{ hidden int }
func (o *Opaque) Do(other int) error
func (o *Opaque) More()
type Doer interface { Do(int) error }
type Sealed interface { apply() }
type Plain interface { Do() error }
type NotShown interface{ Do() }
type Word string
const Some Word = "some"
type Callback func(text string) error
func Make(o Open, others ...int) *Opaque
func Another()
`

	for name, test := range map[string]struct {
		old, new   string
		difference string
	}{
		"nothing differs":          {},
		"a missing name":           {"func Make(o Open, others ...int) *Opaque", "", "Make is missing"},
		"another kind of name":     {`const Some Word = "some"`, `var Some Word`, "Some is another kind"},
		"another constant value":   {`"some"`, `"other"`, `Some is "other", not "some"`},
		"another constant type":    {"const Some Word", "const Some string", "Some has type string, not p.Word"},
		"another function":         {"others ...int", "others []int", "Make has type func(p.Open, []int) *p.Opaque"},
		"a missing field":          {"type Open struct { A int;", "type Open struct {", "Open lacks the field A int"},
		"another field type":       {"type Open struct { A int;", "type Open struct { A string;", "Open lacks the field A int"},
		"an additional field":      {"B string; hidden", "B string; C", "Closed has fields"},
		"another order":            {"A int; B string", "B string; A int", "Closed has fields"},
		"an exposed field":         {"hidden int", "Exposed int", "Opaque has fields"},
		"a missing method":         {"func (o *Opaque) Do(other int) error", "", "Opaque lacks the method Do"},
		"another method":           {"Do(other int) error", "Do(other int)", "method Do has type func(int), not"},
		"an open option":           {"apply()", "Apply()", "Sealed can be implemented elsewhere"},
		"another interface method": {"Do() error", "Do() bool", "method Do has type func() bool"},
		"an additional interface method": {
			"Plain interface { Do() error", "Plain interface { Do() error; More()", "Plain has the methods",
		},
		"another underlying type": {
			"type Word string\nconst Some Word = \"some\"", "type Word int\nconst Some Word = 1", "Word is int, not string",
		},
		"another callback":          {"func(text string) error", "func(text string)", "Callback is func(string), not"},
		"an unimplemented contract": {"Do(int) error", "Do(string) error", "Opaque does not implement p.Doer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			source := same
			if test.old != "" {
				source = replaceOnce(t, same, test.old, test.new)
			}

			got := checkSource(t, "p", source)
			found := parseSurfaceSource(t, document).differences(t, singleImporter{got}, got)

			if test.difference == "" && len(found) > 0 {
				t.Errorf("found %q where nothing differs", found)
			}

			if test.difference != "" && !containsText(found, test.difference) {
				t.Errorf("found %q, want one that says %q", found, test.difference)
			}
		})
	}
}

// singleImporter knows one package.
type singleImporter struct{ *types.Package }

func (i singleImporter) Import(string) (*types.Package, error) { return i.Package, nil }
