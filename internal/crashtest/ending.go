package crashtest

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
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

	if told := toldLine.FindStringSubmatch(result.Stderr); err != nil && told != nil && t.told == "" {
		t.told = told[1]
		wanted.configuration = withClassUID(wanted.configuration, t.told)
		result, err = t.successor(ctx, wanted)
	}

	var exit *terraformcli.ExitError
	if errors.As(err, &exit) {
		t.verdict.Refused = append(t.verdict.Refused, wanted.arguments[0]+" fails: "+firstError(result))

		return nil
	}

	return err
}

// successor runs a command to its end. A late call arrives when the command has
// looked for machines once and has not read the answer.
func (t *trial) successor(ctx context.Context, wanted step) (terraformcli.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	saved, err := t.bench.saved()
	if err != nil {
		return terraformcli.Result{}, err
	}

	// The destroy of a class alone waits until everything can be seen.
	waits := wanted.arguments[0] == string(Destroy) && len(saved.machines) == 0

	var result terraformcli.Result

	err = withLateCall(ctx, t.cloud, t.hold, waits, func() (err error) {
		result, err = t.command(ctx, successorKey, wanted)

		return err
	})
	t.hold = nil
	t.hear(result)

	return result, err
}

// underway is how long a call of a process that is killed can be under way before it
// has its effect, on the cloud's clock.
const underway = 10 * time.Second

// withLateCall runs a command. A call that is still held arrives when the command has
// looked for machines once and has not read the answer; where it never looks, once it
// has ended. A command that waits before it looks is not waited for: no call is under
// way for so long.
func withLateCall(ctx context.Context, cloud *ecsemulator.Server, late *ecsemulator.Hold, waits bool, command func() error) error {
	if late == nil {
		return command()
	}

	rule, err := cloud.AddRule(ecsemulator.Rule{
		Kind: ecsemulator.RuleHold, Action: "DescribeInstances", AccessKeyID: successorKey, Times: 1, At: ecsemulator.MomentAfter,
	})
	if err != nil {
		return err
	}

	looking, stop := context.WithCancel(ctx)
	defer stop()

	if waits {
		var cancel context.CancelFunc

		looking, cancel = context.WithTimeout(looking, time.Duration(float64(underway)/cloud.ClockFactor()))
		defer cancel()
	}

	arrived := make(chan error, 1)

	go func() {
		look, err := cloud.WaitHold(looking, rule.ID)
		if err != nil {
			arrived <- errors.Join(cloud.Release(late.ID, ecsemulator.Proceed), cloud.RemoveRule(rule.ID))

			return
		}

		arrived <- arriveLate(ctx, cloud, *late, look)
	}()

	err = command()

	stop()

	return errors.Join(err, <-arrived)
}

// arriveLate lets the late call have its effect, and then the look its answer.
func arriveLate(ctx context.Context, cloud *ecsemulator.Server, late, look ecsemulator.Hold) error {
	if err := cloud.Release(late.ID, ecsemulator.Proceed); err != nil {
		return err
	}

	for !answered(cloud, late.CallID) {
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}

	return cloud.Release(look.ID, ecsemulator.Proceed)
}

// answered reports whether a call has been carried out.
func answered(cloud *ecsemulator.Server, id int) bool {
	for _, call := range cloud.Calls() {
		if call.ID == id {
			return call.Done
		}
	}

	return true
}
