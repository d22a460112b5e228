package crashtest

import (
	"context"
	"errors"
	"regexp"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// toldLine is the line that an error tells the user to add to the class.
var toldLine = regexp.MustCompile(`uid\s*=\s*"([^"]+)"`)

// goOn does what the user does next: one plain apply, or one plain destroy. Where
// nothing was saved the destroy comes after an apply, since a command asks a
// provider nothing for an empty state.
func (t *trial) goOn(ctx context.Context) error {
	saved, err := t.bench.saved()
	if err != nil {
		return err
	}

	configuration := t.scenario.victim.configuration

	if t.point.Ending == Apply || !saved.hasClass {
		if err := t.following(ctx, apply(configuration)); err != nil {
			return err
		}
	}

	if t.point.Ending == Destroy {
		return t.following(ctx, step{configuration, []string{"destroy", "-auto-approve"}})
	}

	return nil
}

// following runs one command of the user, again if its error tells a line to add.
func (t *trial) following(ctx context.Context, wanted step) error {
	if t.told != "" {
		wanted.configuration = withClassUID(wanted.configuration, t.told)
	}

	result, err := t.successor(ctx, wanted)

	if told := toldLine.FindStringSubmatch(result.Stderr); err != nil && told != nil && t.told == "" && !t.scenario.refused {
		t.told = told[1]
		wanted.configuration = withClassUID(wanted.configuration, t.told)
		result, err = t.successor(ctx, wanted)
	}

	var exit *terraformcli.ExitError

	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		t.problem("%s did not end within %s", wanted.arguments[0], patience)

		return nil
	case errors.As(err, &exit):
		t.verdict.Refused = append(t.verdict.Refused, wanted.arguments[0]+" fails: "+firstError(result))

		return nil
	}

	return err
}

// successor runs a command to its end. What is late comes when the command has looked
// for machines once and has not read the answer.
func (t *trial) successor(ctx context.Context, wanted step) (terraformcli.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	saved, err := t.bench.saved()
	if err != nil {
		return terraformcli.Result{}, err
	}

	// An apply begins a provider for its plan and one for itself. The destroy of a class
	// alone looks in its plan, once it has waited until everything can be seen.
	beginning := 2 * t.bench.laboratory.beginning
	if wanted.arguments[0] == string(Destroy) && len(saved.machines) == 0 {
		beginning = t.bench.laboratory.beginning
	}

	var result terraformcli.Result

	err = withLatecomer(ctx, t.cloud, t.point.latecomer(t.cloud, t.hold), beginning, func() (err error) {
		result, err = t.command(ctx, successorKey, wanted)

		return err
	})
	t.hold = nil
	t.hear(result)

	return result, err
}
