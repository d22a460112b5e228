package main

import (
	"go/ast"
	"strings"
)

// againOf is what the parameters of a function stand for that tell how something is done
// again: an apply, as in most cases.
func againOf(declaration ast.Decl) map[string]text {
	function, ok := declaration.(*ast.FuncDecl)
	if !ok {
		return nil
	}

	var bound map[string]text

	for _, field := range function.Type.Params.List {
		if kind, ok := field.Type.(*ast.Ident); !ok || kind.Name != "again" {
			continue
		}

		for _, parameter := range field.Names {
			if bound == nil {
				bound = map[string]text{}
			}

			bound[parameter.Name] = text{{words: "apply again"}}
		}
	}

	return bound
}

// whereToLook is what advice ends with that names nothing else.
const whereToLook = "If it stays, look at the code and the request ID above."

// renderAdvised is the text of a call that gives advice on an error.
func (s *source) renderAdvised(call *ast.CallExpr) (text, bool) {
	selector, method := call.Fun.(*ast.SelectorExpr)

	switch name := nameOf(call.Fun); {
	case name == "withRemedy" && len(call.Args) == 2:
		return append(append(s.render(call.Args[0]), piece{words: ".\n\n"}), s.renderAdvice(call.Args[1])...), true
	case method && name == "on" && len(call.Args) == 1:
		return s.renderAdvice(selector.X), true
	default:
		return nil, false
	}
}

// renderAdvice reads the advice on an error of which no more is known.
func (s *source) renderAdvice(expression ast.Expr) text {
	if results := s.returned(expression); len(results) == 1 {
		expression = results[0]
	}

	given := map[string]text{"otherwise": {{words: whereToLook}}}

	literal, ok := expression.(*ast.CompositeLit)
	if !ok {
		given["again"] = text{{words: "apply again"}}
	} else {
		for _, element := range literal.Elts {
			if field, ok := element.(*ast.KeyValueExpr); ok {
				given[nameOf(field.Key)] = s.render(field.Value)
			}
		}
	}

	if again := given["again"]; len(again) > 0 {
		given["again"] = append(capitalized(again), piece{words: "."})
	}

	var rendered text

	for _, part := range []string{"became", "again", "otherwise", "after"} {
		if len(given[part]) == 0 {
			continue
		}

		if len(rendered) > 0 {
			rendered = append(rendered, piece{words: " "})
		}

		rendered = append(rendered, given[part]...)
	}

	return rendered
}

// capitalized begins a text with a capital letter.
func capitalized(t text) text {
	if len(t) == 0 || t[0].words == "" {
		return t
	}

	first := t[0]
	first.words = strings.ToUpper(first.words[:1]) + first.words[1:]

	return append(text{first}, t[1:]...)
}
