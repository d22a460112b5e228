package ecsemulator

import (
	"reflect"
	"testing"
)

// covered holds the addresses of the fields that a table names.
func (t fieldTable) covered() map[uintptr]bool {
	addresses := map[uintptr]bool{}
	for _, field := range t {
		if ref, isReference := field.(reference); isReference {
			field = ref.target
		}
		addresses[reflect.ValueOf(field).Pointer()] = true
	}
	return addresses
}

// A field that is added to a resource and forgotten in the table would be lost between two runs.
func TestEveryFieldIsInTheStateFile(t *testing.T) {
	t.Parallel()
	catalogue, err := DefaultCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{options: Options{Catalogue: catalogue}}
	i, d, n := &instance{}, &disk{}, &networkInterface{}
	for name, row := range map[string]struct {
		resource any
		table    fieldTable
		// with are fields that another field brings along.
		with []string
	}{
		"instance":          {i, s.instanceFields(newAccount("1"), i), []string{"vpc"}},
		"disk":              {d, d.fields(), nil},
		"network interface": {n, s.interfaceFields(n), []string{"vpc"}},
	} {
		covered := row.table.covered()
		value := reflect.ValueOf(row.resource).Elem()
		for f := range value.NumField() {
			field := value.Type().Field(f)
			along := false
			for _, other := range row.with {
				along = along || other == field.Name
			}
			if !along && !covered[value.Field(f).Addr().Pointer()] {
				t.Errorf("%s: %s is not saved", name, field.Name)
			}
		}
	}
	// The other parts of an account follow from these, or are fields of savedAccount.
	known := map[string]bool{
		"id": true, "instances": true, "order": true, "disks": true, "diskList": true, "taken": true, "takenIPv6": true, "interfaces": true,
		"interfaceList": true, "sequence": true,
	}
	for f := range reflect.TypeFor[account]().NumField() {
		if name := reflect.TypeFor[account]().Field(f).Name; !known[name] {
			t.Errorf("account: %s is not saved, or not known here", name)
		}
	}
}
