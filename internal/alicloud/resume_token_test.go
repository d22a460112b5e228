package alicloud_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// editToken changes a resume token.
func editToken(t *testing.T, text string, edit func(map[string]any)) string {
	t.Helper()

	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}

	content := map[string]any{}
	if err := json.Unmarshal(decoded, &content); err != nil {
		t.Fatal(err)
	}

	edit(content)

	encoded, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}

	return base64.RawURLEncoding.EncodeToString(encoded)
}

func TestHandleOfNoneOfOursIsPermanent(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	allocate := b.allocation(t, "worker-a")
	id, handle := b.launch(t, allocate)
	give := release(allocate, owned(id))

	begun, err := b.begin(t.Context(), t, give)
	if err != nil {
		t.Fatal(err)
	}

	later := func(token map[string]any) { token["v"] = 2 }
	nowhere := func(token map[string]any) { token["instance"], token["releasing"] = "nobody", []string{"nobody"} }

	for name, wrong := range map[string]struct {
		request machineops.OperationRequest
		token   string
	}{
		"empty":                      {allocate, ""},
		"no base64":                  {allocate, "%"},
		"no JSON":                    {allocate, "bm9wZQ"},
		"of a later version":         {allocate, editToken(t, handle.ResumeToken, later)},
		"without a machine":          {allocate, editToken(t, handle.ResumeToken, func(token map[string]any) { delete(token, "instance") })},
		"naming nothing":             {allocate, editToken(t, handle.ResumeToken, nowhere)},
		"of a release":               {allocate, begun.Operation.ResumeToken},
		"of a launch":                {give, handle.ResumeToken},
		"releasing nothing there is": {give, editToken(t, begun.Operation.ResumeToken, func(token map[string]any) { token["releasing"] = []string{"nobody"} })},
	} {
		wantCounts(t, b.counted(func() {
			_, err := b.poll(t, wrong.request, machineops.ProviderOperation{OperationID: "x", ResumeToken: wrong.token})
			wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, "resume token")
		}), map[string]int{})

		if t.Failed() {
			t.Fatal(name)
		}
	}
}
