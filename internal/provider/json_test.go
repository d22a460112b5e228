package provider

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestCanonicalJSON(t *testing.T) {
	t.Parallel()

	number := func(text string) types.Number {
		parsed, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}

		return types.NumberValue(parsed)
	}

	object := types.ObjectValueMust(
		map[string]attr.Type{"z": types.StringType, "a": types.Int64Type, "none": types.StringType, "nested": types.MapType{ElemType: types.StringType}},
		map[string]attr.Value{
			"z": types.StringValue("<last> & \"quoted\""), "a": types.Int64Value(-1), "none": types.StringNull(),
			"nested": types.MapValueMust(types.StringType, map[string]attr.Value{"k2": types.StringValue("2"), "k1": types.StringValue("1")}),
		})

	for name, test := range map[string]struct {
		value attr.Value
		want  string
	}{
		"text":                               {types.StringValue("é"), `"é"`},
		"empty text":                         {types.StringValue(""), `""`},
		"a truth value":                      {types.BoolValue(false), `false`},
		"a large integer":                    {types.Int64Value(9007199254740993), `9007199254740993`},
		"a fraction":                         {number("0.25"), `0.25`},
		"a large number without an exponent": {number("1e30"), `1000000000000000000000000000000`},
		"null":                               {types.StringNull(), `null`},
		"a list keeps its order":             {stringList([]string{"b", "a"}), `["b","a"]`},
		"an empty list is not null":          {stringList(nil), `[]`},
		"an object is sorted, and nulls are left out": {object, `{"a":-1,"nested":{"k1":"1","k2":"2"},"z":"\u003clast\u003e \u0026 \"quoted\""}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got, err := canonicalJSON(test.value)
			if err != nil {
				t.Fatal(err)
			}

			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}

			if !json.Valid([]byte(got)) {
				t.Errorf("%s is no JSON", got)
			}
		})
	}
}

func TestCanonicalJSONRefusesWhatIsNotKnown(t *testing.T) {
	t.Parallel()

	for name, value := range map[string]attr.Value{
		"a value":           types.StringUnknown(),
		"an element":        types.ListValueMust(types.StringType, []attr.Value{types.StringValue("a"), types.StringUnknown()}),
		"a value in a map":  types.MapValueMust(types.StringType, map[string]attr.Value{"k": types.StringUnknown()}),
		"a kind of its own": types.Float32Value(1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got, err := canonicalJSON(value); err == nil {
				t.Errorf("got %s, want an error", got)
			}
		})
	}
}
