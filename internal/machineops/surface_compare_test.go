package machineops_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// differences compares what a document declares with what a package exports.
// What the package exports beyond it is no difference.
func (s surface) differences(t *testing.T, imports types.Importer, got *types.Package) []string {
	t.Helper()

	want := s.check(t, imports, got.Path())

	var found []string

	for _, name := range want.Scope().Names() {
		wanted := want.Scope().Lookup(name)
		if !wanted.Exported() {
			continue
		}

		actual := got.Scope().Lookup(name)
		if actual == nil {
			found = append(found, name+" is missing")

			continue
		}

		found = append(found, compareObjects(wanted, actual)...)
	}

	for _, claim := range s.implementations(t) {
		found = append(found, claim.differences(t, imports, got)...)
	}

	return found
}

func compareObjects(want, got types.Object) []string {
	switch want := want.(type) {
	case *types.Const:
		return compareConstants(want, got)
	case *types.Func:
		if _, ok := got.(*types.Func); ok {
			return compareTypes(want.Name()+" has type", want.Type(), got.Type())
		}
	case *types.TypeName:
		if got, ok := got.(*types.TypeName); ok {
			return compareNamedTypes(want, got)
		}
	}

	return []string{fmt.Sprintf("%s is another kind of name: %v", want.Name(), got)}
}

func compareConstants(want *types.Const, got types.Object) []string {
	actual, ok := got.(*types.Const)
	if !ok {
		return []string{fmt.Sprintf("%s is another kind of name: %v", want.Name(), got)}
	}

	found := compareTypes(want.Name()+" has type", want.Type(), actual.Type())
	if want.Val().ExactString() != actual.Val().ExactString() {
		found = append(found, fmt.Sprintf("%s is %s, not %s", want.Name(), actual.Val(), want.Val()))
	}

	return found
}

func compareNamedTypes(want, got *types.TypeName) []string {
	var found []string

	switch wanted := want.Type().Underlying().(type) {
	case *types.Struct:
		found = compareStructs(want.Name(), wanted, got.Type().Underlying())
	case *types.Interface:
		found = compareInterfaces(want.Name(), wanted, got.Type().Underlying())
	default:
		found = compareTypes(want.Name()+" is", wanted, got.Type().Underlying())
	}

	named, ok := want.Type().(*types.Named)
	if !ok {
		return append(found, want.Name()+" is declared as an alias")
	}

	methods := types.NewMethodSet(types.NewPointer(got.Type()))

	for wanted := range named.Methods() {
		actual := methods.Lookup(got.Pkg(), wanted.Name())
		if actual == nil {
			found = append(found, fmt.Sprintf("%s lacks the method %s", want.Name(), wanted.Name()))

			continue
		}

		found = append(found, compareTypes(
			want.Name()+": method "+wanted.Name()+" has type", wanted.Type(), actual.Type())...)
	}

	return found
}

// compareStructs compares exported fields. A blank field in want says that the
// document does not show all of them.
func compareStructs(name string, want *types.Struct, got types.Type) []string {
	actual, ok := got.(*types.Struct)
	if !ok {
		return []string{fmt.Sprintf("%s is %s, not a struct", name, typeText(got))}
	}

	wantFields, gotFields := exportedFields(want), exportedFields(actual)

	if want.NumFields() == len(wantFields) {
		if !slices.Equal(wantFields, gotFields) {
			return []string{fmt.Sprintf("%s has fields %q, not %q", name, gotFields, wantFields)}
		}

		return nil
	}

	var found []string

	for _, field := range wantFields {
		if !slices.Contains(gotFields, field) {
			found = append(found, fmt.Sprintf("%s lacks the field %s", name, field))
		}
	}

	return found
}

func exportedFields(structure *types.Struct) []string {
	fields := []string{}

	for field := range structure.Fields() {
		if field.Exported() {
			fields = append(fields, field.Name()+" "+typeText(field.Type()))
		}
	}

	return fields
}

// compareInterfaces compares methods. An interface without any in want is one
// whose methods the document does not show.
func compareInterfaces(name string, want *types.Interface, got types.Type) []string {
	actual, ok := got.(*types.Interface)
	if !ok {
		return []string{fmt.Sprintf("%s is %s, not an interface", name, typeText(got))}
	}

	if want.NumMethods() == 0 {
		return nil
	}

	var found []string

	wantMethods, wantSealed := methodTexts(want)
	gotMethods, gotSealed := methodTexts(actual)

	if wantSealed != gotSealed {
		text := map[bool]string{true: "can be implemented elsewhere", false: "cannot be implemented elsewhere"}[wantSealed]
		found = append(found, name+" "+text)
	}

	if len(wantMethods) != len(gotMethods) {
		found = append(found, fmt.Sprintf("%s has the methods %v, not %v", name, gotMethods, wantMethods))
	}

	for method, wantType := range wantMethods {
		if gotType := gotMethods[method]; gotType != wantType {
			found = append(found, fmt.Sprintf("%s: method %s has type %s, not %s", name, method, gotType, wantType))
		}
	}

	return found
}

// methodTexts returns the types of exported methods, and whether there is one that
// is not exported.
func methodTexts(contract *types.Interface) (exported map[string]string, sealed bool) {
	exported = map[string]string{}

	for method := range contract.Methods() {
		if method.Exported() {
			exported[method.Name()] = typeText(method.Type())
		} else {
			sealed = true
		}
	}

	return exported, sealed
}

func compareTypes(what string, want, got types.Type) []string {
	if wanted, actual := typeText(want), typeText(got); wanted != actual {
		return []string{fmt.Sprintf("%s %s, not %s", what, actual, wanted)}
	}

	return nil
}

// typeText writes a type with full package paths, and a signature without the
// names of its parameters, so that types of two loads can be compared.
func typeText(t types.Type) string {
	if signature, ok := t.(*types.Signature); ok {
		t = types.NewSignatureType(
			nil, nil, nil, unnamed(signature.Params()), unnamed(signature.Results()), signature.Variadic())
	}

	return types.TypeString(t, (*types.Package).Path)
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	var variables []*types.Var
	for variable := range tuple.Variables() {
		variables = append(variables, types.NewParam(variable.Pos(), variable.Pkg(), "", variable.Type()))
	}

	return types.NewTuple(variables...)
}

func (i implementation) differences(t *testing.T, imports types.Importer, got *types.Package) []string {
	t.Helper()

	home, err := imports.Import(i.packagePath)
	if err != nil {
		t.Fatal(err)
	}

	contract, implementing := home.Scope().Lookup(i.interfaceName), got.Scope().Lookup(i.typeName)
	if contract == nil || implementing == nil {
		return []string{fmt.Sprintf("%s or %s.%s is missing", i.typeName, i.packagePath, i.interfaceName)}
	}

	wanted, ok := contract.Type().Underlying().(*types.Interface)
	if !ok || !types.Implements(types.NewPointer(implementing.Type()), wanted) {
		return []string{fmt.Sprintf("%s does not implement %s.%s", i.typeName, i.packagePath, i.interfaceName)}
	}

	return nil
}

func containsText(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) })
}

func replaceOnce(t *testing.T, text, old, replacement string) string {
	t.Helper()

	if strings.Count(text, old) == 0 {
		t.Fatalf("%q is not in the source", old)
	}

	return strings.Replace(text, old, replacement, 1)
}
