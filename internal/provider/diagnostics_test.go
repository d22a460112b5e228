package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestWhatIsOnlyInterruptedBlamesNobody(t *testing.T) {
	t.Parallel()

	model := allocationModel{Name: types.StringValue("worker-a"), ID: types.StringValue("north.i-1")}

	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"an interrupt":           {fmt.Errorf("looking: %w", context.Canceled), "was interrupted"},
		"an interrupted look":    {driver.NewError(driver.CodeCanceled, "looking"), "was interrupted"},
		"an interrupted wait":    {&lifecycle.UnfinishedError{Cause: context.Canceled}, "was interrupted"},
		"a deadline":             {driver.NewError(driver.CodeDeadlineExceeded, "looking"), "no answer in time"},
		"a refusal":              {driver.NewError(driver.CodePermissionDenied, "looking"), "Grant the RAM user"},
		"a refusal of a release": {&machineops.PermanentError{Reason: v1alpha3.ReasonPermissionDenied, Err: driver.NewError(driver.CodePermissionDenied, "x")}, "Grant the RAM user"},
		"something else":         {driver.NewError(driver.CodeUnavailable, "looking"), "TF_LOG=DEBUG shows the calls"},
		"something with a code":  {driver.NewError(driver.CodeUnavailable, "looking: %w", answer{"InternalError (HTTP 500)", "7"}), "look at the code and the request ID"},
		"a text like an answer":  {driver.NewError(driver.CodeUnavailable, "looking at \"(request 7)\""), "TF_LOG=DEBUG shows the calls"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			details := []string{
				readDiagnostic(model, test.err).Detail(), updateDiagnostic(model, test.err).Detail(), classDiagnostic("worker", test.err, advice{again: applyAgain}).Detail(),
			}

			for _, detail := range details {
				if !strings.Contains(detail, test.want) {
					t.Errorf("the text is %q, want %q", detail, test.want)
				}

				interrupted := strings.Contains(detail, "was interrupted")
				if interrupted != (test.want == "was interrupted") || interrupted && strings.Contains(detail, "request ID") {
					t.Errorf("the text is %q, want %q", detail, test.want)
				}
			}

			if changed := strings.Contains(details[1], "The machine is as it was"); changed == (test.want == "was interrupted" || test.want == "no answer in time") {
				t.Errorf("the text of an update is %q", details[1])
			}
		})
	}
}
