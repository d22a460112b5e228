package main

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// text is a text with holes for what is known only when it is said.
type text []piece

// piece is a part of a text as it stands, or a hole.
type piece struct {
	words string
	// hole is the expression that fills it; empty for words.
	hole string
}

// with fills the holes.
func (t text) with(fill func(hole string) string) string {
	var all strings.Builder

	for _, p := range t {
		if p.hole != "" {
			all.WriteString(fill(p.hole))
		} else {
			all.WriteString(p.words)
		}
	}

	return all.String()
}

// isSentence reports whether people are meant to read it: three words at least.
func (t text) isSentence() bool {
	words := t.with(func(string) string { return "x" })

	return len(strings.Fields(words)) >= 3 && strings.ContainsAny(words, "abcdefghijklmnopqrstuvwxyz") && t.with(func(string) string { return "" }) != ""
}

// isText reports whether an expression is a text: a literal, a sum with one, or a call
// that makes one.
func (s *source) isText(expression ast.Expr) bool {
	switch e := expression.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (s.isText(e.X) || s.isText(e.Y))
	case *ast.CallExpr:
		_, formats := formatOf(e)

		return formats
	default:
		return false
	}
}

// formatOf is the position of the format among the arguments of a call that makes a text.
func formatOf(call *ast.CallExpr) (int, bool) {
	position, known := map[string]int{"Sprintf": 0, "Errorf": 0, "Appendf": 1, "NewError": 1, "New": 0}[nameOf(call.Fun)]
	if !known || position >= len(call.Args) {
		return 0, false
	}

	_, literal := call.Args[position].(*ast.BasicLit)
	_, sum := call.Args[position].(*ast.BinaryExpr)

	return position, literal || sum
}

// render reads a text from the source.
func (s *source) render(expression ast.Expr) text {
	switch e := expression.(type) {
	case *ast.BasicLit:
		if words, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text{{words: words}}
		}
	case *ast.ParenExpr:
		return s.render(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return append(s.render(e.X), s.render(e.Y)...)
		}
	case *ast.Ident:
		if given, known := s.bound[e.Name]; known {
			return given
		}

		if constant, known := s.constants[e.Name]; known {
			return s.render(constant)
		}
	case *ast.CallExpr:
		return s.renderCall(e)
	}

	return hole(expression)
}

func (s *source) renderCall(call *ast.CallExpr) text {
	if position, formats := formatOf(call); formats {
		return s.renderFormat(s.render(call.Args[position]), call.Args[position+1:])
	}

	if advised, ok := s.renderAdvised(call); ok {
		return advised
	}

	if inlined, ok := s.renderInlined(call); ok {
		return inlined
	}

	switch name := nameOf(call.Fun); {
	case (name == "TrimSuffix" || name == "Join") && len(call.Args) > 0:
		return s.render(call.Args[0])
	case (name == "string" || name == "again") && len(call.Args) == 1:
		return s.render(call.Args[0])
	case name == "capitalized" && len(call.Args) == 1:
		return capitalized(s.render(call.Args[0]))
	case len(call.Args) == 0:
		// What is read of a thing stands for the thing.
		selector, ok := call.Fun.(*ast.SelectorExpr)

		switch {
		case ok && (name == "Error" || name == "String" || name == "ValueString"):
			return s.render(selector.X)
		case ok && name == "then":
			return append(text{{words: ", then "}}, s.render(selector.X)...)
		}
	}

	return hole(call)
}

// renderInlined is the text of a call to a function that only makes a text.
func (s *source) renderInlined(call *ast.CallExpr) (text, bool) {
	name, ok := call.Fun.(*ast.Ident)
	if !ok || s.bound != nil && s.bound[name.Name] != nil {
		return nil, false
	}

	results := s.returned(call)
	if len(results) != 1 || !s.isText(results[0]) && !s.isInlined(results[0]) {
		return nil, false
	}

	bound := map[string]text{}

	for _, field := range s.functions[name.Name].Type.Params.List {
		for _, parameter := range field.Names {
			if len(bound) < len(call.Args) {
				bound[parameter.Name] = s.render(call.Args[len(bound)])
			}
		}
	}

	outer := s.bound
	s.bound = bound
	inlined := s.render(results[0])
	s.bound = outer

	return inlined, true
}

// isInlined reports whether an expression begins with the text of another function.
func (s *source) isInlined(expression ast.Expr) bool {
	sum, ok := expression.(*ast.BinaryExpr)

	return ok && s.isInlined(sum.X) || ok && s.isText(sum.Y)
}

// verb finds the places of a format that arguments fill.
var verb = regexp.MustCompile(`%[-+# 0]*[0-9]*(?:\.[0-9]+)?[a-zA-Z%]`)

func (s *source) renderFormat(format text, arguments []ast.Expr) text {
	var rendered text

	for _, p := range format {
		if p.hole != "" {
			rendered = append(rendered, p)

			continue
		}

		words := p.words

		for {
			at := verb.FindStringIndex(words)
			if at == nil {
				break
			}

			found := words[at[0]:at[1]]
			rendered = append(rendered, piece{words: words[:at[0]]})
			words = words[at[1]:]

			switch {
			case found == "%%":
				rendered = append(rendered, piece{words: "%"})
			case len(arguments) == 0:
				rendered = append(rendered, piece{words: found})
			case strings.HasSuffix(found, "q"):
				rendered = append(append(append(rendered, piece{words: `"`}), s.render(arguments[0])...), piece{words: `"`})
				arguments = arguments[1:]
			default:
				rendered = append(rendered, s.render(arguments[0])...)
				arguments = arguments[1:]
			}
		}

		rendered = append(rendered, piece{words: words})
	}

	return rendered
}

// hole is what an expression leaves open, on one line.
func hole(expression ast.Expr) text {
	var printed bytes.Buffer
	if err := printer.Fprint(&printed, token.NewFileSet(), expression); err != nil {
		return text{{hole: "?"}}
	}

	return text{{hole: strings.Join(strings.Fields(printed.String()), " ")}}
}
