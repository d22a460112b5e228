package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// answer is what a cloud said to a call.
type answer struct{ said, requestID string }

func (a answer) Error() string { return a.said + " (request " + a.requestID + ")" }

func (a answer) Refused() (said, requestID string) { return a.said, a.requestID }

func TestAdviceIsMadeOfWhatIsKnownWhereItIsGiven(t *testing.T) {
	t.Parallel()

	const grant = "Grant the RAM user or role the permission for the action named above"

	denied := driver.NewError(driver.CodePermissionDenied, "looking")
	refused := func(err error) error {
		return &driver.Error{Code: driver.CodePermissionDenied, Reason: v1alpha3.ReasonRefused, Err: err}
	}
	unknown := errors.New("looking")
	awaited := func(cause error) error {
		return &lifecycle.UnfinishedError{Cause: cause, LastError: &machineops.AwaitedError{ProviderID: "north.i-1", Operation: `HostReplace "disk" of today`}}
	}

	const resume = "If a run is at work on HostReplace \"disk\" of today, let that end, then apply again. If none is, put that operation back into the configuration (same name, kind, triggers and parameters), " +
		"leave out what waits for it, and apply, which goes on with it; remove or edit it then. Or take the tag terraform-machine/operation off the machine, then start the machine where it was stopped for it (power_state = \"running\", or a HostPowerOn)."

	for name, test := range map[string]struct {
		err  error
		give advice
		want string
	}{
		"an apply":                                     {denied, advice{again: applyAgain}, grant + ", then apply again."},
		"another command":                              {denied, advice{again: runAgain}, grant + ", then run the command again."},
		"nothing to do again":                          {denied, advice{}, grant + "."},
		"what it comes to":                             {denied, advice{again: applyAgain + " to go on: nothing is done twice"}, grant + ", then apply again to go on: nothing is done twice."},
		"how things stand":                             {denied, advice{became: "It is kept.", again: applyAgain, after: "It costs money."}, "It is kept. " + grant + ", then apply again. It costs money."},
		"a reason that is known here":                  {denied, advice{again: applyAgain, remedies: map[string]string{v1alpha3.ReasonPermissionDenied: "Ask."}}, "Ask."},
		"an account, with a code":                      {refused(answer{"X", "7"}), advice{again: runAgain}, "Alibaba Cloud refuses this until somebody acts on the account or the machine; the code above says on what. Act on it, then run the command again."},
		"an account, without one":                      {refused(unknown), advice{again: runAgain}, "Somebody has to act on the account or the machine before Alibaba Cloud does this. Act on it, then run the command again."},
		"no reason, with a code":                       {fmt.Errorf("looking: %w", answer{"X", "7"}), advice{again: runAgain}, "Run the command again. If it stays, look at the code and the request ID above."},
		"no reason, without one":                       {unknown, advice{became: "It is kept.", again: applyAgain}, "It is kept. Apply again. If it stays, TF_LOG=DEBUG shows the calls and their answers."},
		"no reason, another way on":                    {unknown, advice{again: applyAgain, otherwise: "Or take another."}, "Apply again. Or take another."},
		"an interrupt":                                 {context.Canceled, advice{became: "It is kept.", again: runAgain}, "It is kept. The command was interrupted before an answer. Run it again."},
		"an interrupt of a wait for another operation": {awaited(context.Canceled), advice{became: "It is kept.", again: applyAgain}, "It is kept. " + resume},
		"an end of a wait for another operation":       {awaited(context.DeadlineExceeded), advice{again: applyAgain, timeouts: true}, resume},
		"an end of a time":                             {context.DeadlineExceeded, advice{again: runAgain}, "There was no answer in time. Run the command again."},
		"an end of a time of a user":                   {context.DeadlineExceeded, advice{again: applyAgain, timeouts: true}, "There was no answer in time. Apply again. More time is given in the resource's timeouts argument."},
		"a reason that time cut off":                   {&driver.Error{Code: driver.CodeDeadlineExceeded, Reason: v1alpha3.ReasonPermissionDenied, Err: unknown}, advice{again: applyAgain}, grant + ", then apply again."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := test.give.on(test.err); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// What is wrong with an update is never the machine's ID, which a user does not write.
func TestOnlyAReadBlamesTheID(t *testing.T) {
	t.Parallel()

	model := allocationModel{Name: types.StringValue("worker-a"), ID: types.StringValue("north.i-1")}
	wrong := driver.NewError(driver.CodeInvalidArgument, "there is no such group")

	if text := readDiagnostic(model, wrong).Detail(); !strings.Contains(text, "Correct the provider ID") || !strings.HasSuffix(text, ", then run the command again.") {
		t.Errorf("a read says %q", text)
	}

	if text := updateDiagnostic(model, wrong).Detail(); !strings.HasSuffix(text, "Correct the configuration, then apply again.") {
		t.Errorf("an update says %q", text)
	}
}

// Another run that is at work on a machine is waited for; only what was launched is taken
// from this state for good.
func TestWhatAnotherRunHasIsToldByWhatItIs(t *testing.T) {
	t.Parallel()

	taken := &machineops.PermanentError{Reason: v1alpha3.ReasonTaken, Err: errors.New("another run has begun after this one")}
	machine := allocationModel{Name: types.StringValue("worker-a"), ID: types.StringValue("north.i-1"), PowerState: types.StringValue("stopped")}

	if text := powerDiagnostic(machine, taken).Detail(); !strings.Contains(text, "Wait until no other run is at work on it, then apply again") || strings.Contains(text, "machine of its own") {
		t.Errorf("a change in place says %q", text)
	}

	launched := allocationDiagnostics(lifecycle.AllocateRequest{}, lifecycle.Allocated{}, taken, "")
	if len(launched) != 1 || !strings.HasSuffix(launched[0].Detail(), "Apply again: this state then gets a machine of its own or says who has it.") {
		t.Errorf("a launch says %v", launched)
	}
}

// What waited for another operation helps nobody who only repeats it.
func TestAWaitForAnotherOperationNamesIt(t *testing.T) {
	t.Parallel()

	other := &machineops.AwaitedError{ProviderID: "north.i-1", Operation: `HostReplace "disk" of today`}
	machine := allocationModel{Name: types.StringValue("worker-a"), ID: types.StringValue("north.i-1"), PowerState: types.StringValue("running")}
	request := lifecycle.OperateRequest{Kind: v1alpha3.OperationHostPowerOn, Name: "on", ProviderID: "north.i-1"}
	begun := lifecycle.Outcome{Pending: &lifecycle.PendingOperation{}}

	for name, cause := range map[string]error{"interrupted": context.Canceled, "out of time": context.DeadlineExceeded} {
		err := &lifecycle.UnfinishedError{Cause: cause, LastError: other}

		for who, said := range map[string]string{
			"power_state":   powerDiagnostic(machine, err).Detail(),
			"another kind":  updateDiagnostic(machine, err).Detail(),
			"an operation":  (&operationResource{}).operationDiagnostics(t.Context(), "", request, begun, err)[0].Detail(),
			"one not begun": (&operationResource{}).operationDiagnostics(t.Context(), "", request, lifecycle.Outcome{}, err)[0].Detail(),
		} {
			for _, want := range []string{`If a run is at work on HostReplace "disk" of today, let that end, then apply again`, "If none is, put that operation back into the configuration", "take the tag terraform-machine/operation off the machine, then start the machine"} {
				if !strings.Contains(said, want) {
					t.Errorf("%s of %s: it is said\n%s\nwithout %q", name, who, said, want)
				}
			}

			if strings.Contains(said, "go on waiting") || strings.Contains(said, "goes on with it.") || strings.Contains(said, "Run it again") {
				t.Errorf("%s of %s: it is said\n%s", name, who, said)
			}
		}
	}
}
