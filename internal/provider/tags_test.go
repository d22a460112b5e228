package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestTagKeys(t *testing.T) {
	t.Parallel()

	for key, problem := range map[string]string{
		"team":                         "",
		"a":                            "",
		"团队":                           "",
		strings.Repeat("長", 128):       "",
		"my-aliyun":                    "",
		"terraform-machine":            "",
		"":                             "1 to 128 characters",
		strings.Repeat("長", 129):       "has 129",
		"aliyun":                       "begin with aliyun or acs:",
		"ALIYUN.x":                     "begin with aliyun or acs:",
		"Acs:x":                        "begin with aliyun or acs:",
		"see http://x":                 "http://",
		"HTTPS://x":                    "https://",
		"terraform-machine/owner":      "the provider's own",
		"Terraform-Machine/everything": "the provider's own",
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()

			var resp validator.StringResponse

			tagKeyValidator{}.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("tags"), ConfigValue: types.StringValue(key)}, &resp)
			expectProblem(t, resp.Diagnostics, problem)
		})
	}
}

func TestTagValuesHoldNoURL(t *testing.T) {
	t.Parallel()

	for value, problem := range map[types.String]string{
		types.StringValue("plain"):         "",
		types.StringValue(""):              "",
		types.StringNull():                 "",
		types.StringUnknown():              "",
		types.StringValue("see HTTP://x"):  "http://",
		types.StringValue("see https://x"): "https://",
	} {
		t.Run(value.String(), func(t *testing.T) {
			t.Parallel()

			var resp validator.StringResponse

			noURLValidator{}.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("tags"), ConfigValue: value}, &resp)
			expectProblem(t, resp.Diagnostics, problem)
		})
	}
}

// expectProblem wants one error that says so, or none where problem is empty.
func expectProblem(t *testing.T, diagnostics diag.Diagnostics, problem string) {
	t.Helper()

	switch {
	case problem == "" && diagnostics.HasError():
		t.Errorf("refused: %v", diagnostics)
	case problem != "" && (diagnostics.ErrorsCount() != 1 || !strings.Contains(diagnostics[0].Detail(), problem)):
		t.Errorf("got %v, want one error that says %q", diagnostics, problem)
	}
}

func numberedTags(prefix string, count int) types.Map {
	tags := map[string]attr.Value{}
	for i := range count {
		tags[fmt.Sprintf("%s-%d", prefix, i)] = types.StringValue("x")
	}

	return types.MapValueMust(types.StringType, tags)
}

func TestTagsOfClassAndAllocationAreCountedTogether(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		class, own types.Map
		problem    string
	}{
		"as many as fit":           {numberedTags("class", 6), numberedTags("own", 6), ""},
		"one more":                 {numberedTags("class", 6), numberedTags("own", 7), "give 13 tags together"},
		"the same keys count once": {numberedTags("same", 12), numberedTags("same", 12), ""},
		"none":                     {types.MapNull(types.StringType), types.MapNull(types.StringType), ""},
		"not known yet":            {types.MapUnknown(types.StringType), numberedTags("own", 12), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var diagnostics diag.Diagnostics

			model := allocationModel{Class: classObject(t, map[string]attr.Value{"tags": test.class}), Tags: test.own}
			tagged{model: model}.checkTagCount(&diagnostics)
			expectProblem(t, diagnostics, test.problem)
		})
	}
}

func TestTheAllocationsTagsCountMoreThanTheClasss(t *testing.T) {
	t.Parallel()

	model := allocationModel{
		Class: classObject(t, map[string]attr.Value{"tags": types.MapValueMust(types.StringType, map[string]attr.Value{
			"team": types.StringValue("core"), "tier": types.StringValue("1"),
		})}),
		Tags: types.MapValueMust(types.StringType, map[string]attr.Value{"tier": types.StringValue("2")}),
	}

	if got := model.wantedTags(); len(got) != 2 || got["team"] != "core" || got["tier"] != "2" {
		t.Errorf("wanted tags are %v", got)
	}
}

func TestRefreshShowsOnlyTagsThatWereSetHere(t *testing.T) {
	t.Parallel()

	known := types.MapValueMust(types.StringType, map[string]attr.Value{"kept": types.StringValue("a"), "changed": types.StringValue("a"), "taken": types.StringValue("a")})
	got := refreshedTags(known, map[string]string{"kept": "a", "changed": "b", "foreign": "c"})
	want := types.MapValueMust(types.StringType, map[string]attr.Value{"kept": types.StringValue("a"), "changed": types.StringValue("b")})

	if !got.Equal(want) {
		t.Errorf("got %s, want %s", got, want)
	}

	if null := refreshedTags(types.MapNull(types.StringType), map[string]string{"foreign": "c"}); !null.IsNull() {
		t.Errorf("no tags became %s", null)
	}
}
