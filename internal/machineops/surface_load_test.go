package machineops_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// surface is what one package of a document declares.
type surface struct {
	files *token.FileSet
	file  *ast.File
}

func parseSurface(t *testing.T, name string) surface {
	t.Helper()

	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}

	return parseSurfaceSource(t, string(source))
}

func parseSurfaceSource(t *testing.T, source string) surface {
	t.Helper()

	files := token.NewFileSet()

	file, err := parser.ParseFile(files, "declarations.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}

	return surface{files: files, file: file}
}

// check type-checks the declarations as the package that has the given path.
func (s surface) check(t *testing.T, imports types.Importer, packagePath string) *types.Package {
	t.Helper()

	config := types.Config{Importer: imports, IgnoreFuncBodies: true}

	checked, err := config.Check(packagePath, s.files, []*ast.File{s.file}, nil)
	if err != nil {
		t.Fatal(err)
	}

	return checked
}

func checkSource(t *testing.T, packagePath, source string) *types.Package {
	t.Helper()

	return parseSurfaceSource(t, source).check(t, nil, packagePath)
}

// awaited reads the "//surface:awaits NAME" line: the package is being written, and
// NAME is what it gets last. It is empty where there is no such line.
func (s surface) awaited() string {
	for _, line := range s.directives("awaits") {
		return line
	}

	return ""
}

// directives returns what follows "//surface:NAME " in the comments.
func (s surface) directives(name string) []string {
	var found []string

	for _, group := range s.file.Comments {
		for _, comment := range group.List {
			if line, ok := strings.CutPrefix(comment.Text, "//surface:"+name+" "); ok {
				found = append(found, line)
			}
		}
	}

	return found
}

// implementation says that a type of a document has all methods of an interface.
type implementation struct {
	typeName, packagePath, interfaceName string
}

// implementations reads the "//surface:implements TYPE PATH.INTERFACE" lines.
func (s surface) implementations(t *testing.T) []implementation {
	t.Helper()

	var found []implementation

	for _, line := range s.directives("implements") {
		typeName, target, _ := strings.Cut(line, " ")
		name := strings.TrimPrefix(path.Ext(target), ".")

		if typeName == "" || name == "" {
			t.Fatalf("malformed line %q", line)
		}

		found = append(found, implementation{typeName, strings.TrimSuffix(target, "."+name), name})
	}

	return found
}

// newExportImporter imports compiled packages: the given ones of this module and
// all they depend on.
func newExportImporter(t *testing.T, packages []string) types.Importer {
	t.Helper()

	arguments := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for _, name := range packages {
		arguments = append(arguments, path.Join(modulePath, name))
	}

	var complaints strings.Builder

	command := exec.CommandContext(t.Context(), "go", arguments...)
	command.Stderr = &complaints

	output, err := command.Output()
	if err != nil {
		t.Fatalf("compile packages: %v\n%s", err, complaints.String())
	}

	exports := map[string]string{}

	for line := range strings.Lines(string(output)) {
		name, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		exports[name] = file
	}

	return importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) {
		file, ok := exports[name]
		if !ok {
			return nil, &os.PathError{Op: "import", Path: name, Err: os.ErrNotExist}
		}

		return os.Open(file)
	})
}
