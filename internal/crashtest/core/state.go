package core

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Object is one object in state. It is not changed once it is made.
type Object struct {
	value   tftypes.Value
	private []byte
	tainted bool
}

// State is what a state holds. The zero value is an empty one.
type State struct {
	Class, Allocation *Object
	// Deposed are allocations that are replaced and not yet destroyed.
	Deposed []*Object
	// Operations are the operations on the machine, by the labels of their blocks.
	Operations map[string]*Object
	// Foreign is what the allocation is to be moved from; nil for nothing.
	Foreign *Foreign
}

// Clone returns a copy that later changes leave alone.
func (s State) Clone() State {
	s.Deposed = slices.Clone(s.Deposed)
	s.Operations = maps.Clone(s.Operations)

	return s
}

// keepOperation puts an operation into the state; nil takes it out.
func (s *State) keepOperation(label string, object *Object) {
	kept := maps.Clone(s.Operations)
	if kept == nil {
		kept = map[string]*Object{}
	}

	kept[label] = object
	if object == nil {
		delete(kept, label)
	}

	s.Operations = kept
}

// Taint marks the allocation as one that has to be replaced.
func (s *State) Taint() {
	if s.Allocation != nil {
		s.Allocation = &Object{value: s.Allocation.value, private: s.Allocation.private, tainted: true}
	}
}

// Strings returns a string attribute of every allocation.
func (s State) Strings(attribute string) ([]string, error) {
	return stringsOf(append([]*Object{s.Allocation}, s.Deposed...), attribute)
}

// OperationStrings returns a string attribute of every operation.
func (s State) OperationStrings(attribute string) ([]string, error) {
	return stringsOf(slices.Collect(maps.Values(s.Operations)), attribute)
}

func stringsOf(objects []*Object, attribute string) ([]string, error) {
	var found []string

	for _, object := range objects {
		if object == nil {
			continue
		}

		attributes, err := fields(object.value)
		if err != nil {
			return nil, err
		}

		var text string
		if value := attributes[attribute]; value.IsKnown() && !value.IsNull() {
			if err := value.As(&text); err != nil {
				return nil, fmt.Errorf("%s: %w", attribute, err)
			}
		}

		found = append(found, text)
	}

	return found, nil
}

// Text tells all that the state holds, for a search.
func (s State) Text() string {
	text := ""

	objects := slices.AppendSeq([]*Object{s.Class, s.Allocation}, maps.Values(s.Operations))

	for _, object := range append(objects, s.Deposed...) {
		if object != nil {
			text += object.value.String() + string(object.private)
		}
	}

	return text
}
