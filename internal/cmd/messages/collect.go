package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// severity is what a text is to the user who reads it.
type severity string

const (
	severityError   severity = "Error"
	severityWarning severity = "Warning"
	// severityPart is a text that others are made of: an error's, or a remedy.
	severityPart severity = ""
)

// message is one text in the source.
type message struct {
	file     string
	function string
	severity severity
	// summary is set for diagnostics.
	summary, detail text
}

// source is one package.
type source struct {
	directory string
	names     []string
	files     []*ast.File
	constants map[string]ast.Expr
	functions map[string]*ast.FuncDecl
	// bound are what the parameters stand for of a function whose text is being read.
	bound map[string]text
}

func readPackage(path, directory string) (*source, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}

	s := &source{directory: directory, constants: map[string]ast.Expr{}, functions: map[string]*ast.FuncDecl{}}

	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}

		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(path, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}

		s.names, s.files = append(s.names, name), append(s.files, file)
		s.declarations(file)
	}

	return s, nil
}

// declarations notes what names of the file stand for in texts.
func (s *source) declarations(file *ast.File) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				s.functions[d.Name.Name] = d
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				values, ok := spec.(*ast.ValueSpec)
				if !ok || d.Tok != token.CONST {
					continue
				}

				for i, name := range values.Names {
					if i < len(values.Values) {
						s.constants[name.Name] = values.Values[i]
					}
				}
			}
		}
	}
}

// messages are the texts of the package in the order of its files.
func (s *source) messages() []message {
	var all []message

	for i, file := range s.files {
		for _, declaration := range file.Decls {
			function := ""
			if d, ok := declaration.(*ast.FuncDecl); ok {
				function = d.Name.Name
			}

			for _, found := range s.within(declaration) {
				found.file, found.function = s.directory+"/"+s.names[i], function
				all = append(all, found)
			}
		}
	}

	return all
}

// within are the texts of one declaration.
func (s *source) within(declaration ast.Decl) []message {
	var all []message

	s.bound = againOf(declaration)
	defer func() { s.bound = nil }()

	ast.Inspect(declaration, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.KeyValueExpr:
			key, _ := n.Key.(*ast.Ident)

			return key == nil || !slices.Contains([]string{"MarkdownDescription", "Description", "DeprecationMessage"}, key.Name)
		case *ast.CallExpr:
			if isLog(n) {
				return false
			}

			if found, ok := s.diagnostic(n); ok {
				all = append(all, found)

				return false
			}
		}

		expression, ok := node.(ast.Expr)
		if !ok || !s.isText(expression) {
			return true
		}

		if rendered := s.render(expression); rendered.isSentence() {
			all = append(all, message{detail: rendered})
		}

		return false
	})

	return all
}

// isLog reports whether a call writes to a log.
func isLog(call *ast.CallExpr) bool {
	name := nameOf(call.Fun)

	return slices.Contains([]string{"DebugContext", "InfoContext", "WarnContext", "ErrorContext"}, name)
}

// diagnosticCalls are how diagnostics come to be: their severity, and where their
// summary stands among the arguments.
func diagnosticCalls() map[string]message {
	return map[string]message{
		"AddError": {severity: severityError}, "AddWarning": {severity: severityWarning},
		"NewErrorDiagnostic": {severity: severityError}, "NewWarningDiagnostic": {severity: severityWarning},
		"AddAttributeError": {severity: severityError}, "AddAttributeWarning": {severity: severityWarning},
		"NewAttributeErrorDiagnostic": {severity: severityError}, "NewAttributeWarningDiagnostic": {severity: severityWarning},
	}
}

// diagnostic reads a call that makes a diagnostic.
func (s *source) diagnostic(call *ast.CallExpr) (message, bool) {
	name := nameOf(call.Fun)

	found, known := diagnosticCalls()[name]
	if !known {
		return message{}, false
	}

	arguments := call.Args
	if strings.Contains(name, "Attribute") && len(arguments) > 0 {
		arguments = arguments[1:]
	}

	if len(arguments) == 1 {
		arguments = s.returned(arguments[0])
	}

	if len(arguments) != 2 {
		return message{}, false
	}

	found.summary, found.detail = s.render(arguments[0]), s.render(arguments[1])

	return found, true
}

// returned is what a function of the package that does nothing else returns.
func (s *source) returned(expression ast.Expr) []ast.Expr {
	call, ok := expression.(*ast.CallExpr)
	if !ok {
		return nil
	}

	function := s.functions[nameOf(call.Fun)]
	if function == nil || len(function.Body.List) != 1 {
		return nil
	}

	result, ok := function.Body.List[0].(*ast.ReturnStmt)
	if !ok {
		return nil
	}

	return result.Results
}

// nameOf is the name of what is called, without what it is called on.
func nameOf(function ast.Expr) string {
	switch f := function.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	default:
		return ""
	}
}
