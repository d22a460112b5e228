package provider

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestUserDataReachesTheMachineAsItWasMeant(t *testing.T) {
	t.Parallel()

	largest := strings.Repeat("x", maximumUserData)
	multibyte := strings.Repeat("é", maximumUserData/2)

	for name, test := range map[string]struct {
		text    string
		encoded bool
		want    string
		problem string
	}{
		"text":                     {text: "#cloud-config\n", want: "#cloud-config\n"},
		"text that looks encoded":  {text: "YQ==", want: "YQ=="},
		"encoded":                  {text: base64.StdEncoding.EncodeToString([]byte{0x1f, 0x8b, 0, 0xff}), encoded: true, want: "\x1f\x8b\x00\xff"},
		"the largest":              {text: largest, want: largest},
		"the largest, encoded":     {text: base64.StdEncoding.EncodeToString([]byte(largest)), encoded: true, want: largest},
		"the largest in two bytes": {text: multibyte, want: multibyte},
		"one byte more":            {text: largest + "x", problem: "has 32769 bytes"},
		"one letter more":          {text: multibyte + "é", problem: "has 32770 bytes"},
		"one byte more, encoded":   {text: base64.StdEncoding.EncodeToString([]byte(largest + "x")), encoded: true, problem: "has 32769 bytes"},
		"not Base64":               {text: "#secret-config", encoded: true, problem: "not Base64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got, err := decodeUserData(test.text, test.encoded)

			switch {
			case test.problem == "" && err != nil:
				t.Fatal(err)
			case test.problem != "" && (err == nil || !strings.Contains(err.Error(), test.problem)):
				t.Fatalf("got the error %v, want %q", err, test.problem)
			case got != test.want:
				t.Errorf("got %d bytes that differ", len(got))
			}

			var resp validator.StringResponse

			userDataValidator{base64: test.encoded}.ValidateString(t.Context(),
				validator.StringRequest{Path: path.Root("user_data_wo"), ConfigValue: types.StringValue(test.text)}, &resp)
			expectProblem(t, resp.Diagnostics, test.problem)

			for _, diagnostic := range resp.Diagnostics {
				if strings.Contains(diagnostic.Detail(), "secret") || strings.Contains(diagnostic.Detail(), "xxxx") {
					t.Errorf("the error shows the data: %s", diagnostic.Detail())
				}
			}
		})
	}
}

func TestUserDataThatIsNotKnownIsNotJudged(t *testing.T) {
	t.Parallel()

	for _, value := range []types.String{types.StringNull(), types.StringUnknown()} {
		var resp validator.StringResponse

		userDataValidator{base64: true}.ValidateString(t.Context(), validator.StringRequest{ConfigValue: value}, &resp)
		expectProblem(t, resp.Diagnostics, "")
	}
}
