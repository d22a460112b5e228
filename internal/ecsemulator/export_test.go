package ecsemulator

// DeclaredParameter is one line of an action's parameter table, for tests that walk over all of them.
type DeclaredParameter struct {
	Name, Kind string
	MaxLength  int
}

// DeclaredAction is one action that a server knows.
type DeclaredAction struct {
	Name, Version string
	Unsigned      bool
	Parameters    []DeclaredParameter
}

// DeclaredActions lists what a server knows.
func DeclaredActions() ([]DeclaredAction, error) {
	index, err := indexActions(allActions())
	if err != nil {
		return nil, err
	}
	var declared []DeclaredAction
	for key, a := range index {
		action := DeclaredAction{Name: key.name, Version: string(key.service), Unsigned: a.unsigned}
		for name, spec := range a.table {
			action.Parameters = append(action.Parameters, DeclaredParameter{name, string(spec.kind), spec.maxLength})
		}
		declared = append(declared, action)
	}
	return declared, nil
}
