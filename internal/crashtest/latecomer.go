package crashtest

import (
	"context"
	"errors"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// concealment is for how long the machine of a killed launch is left out of reads where
// machines are listed late: it is revealed when what follows has looked. The seconds of
// the setting would be over before the next command has begun to look, since the clock
// runs fast and a command takes its time to begin.
const concealment = time.Hour

// conceal is the rule that does it; false where the point has no need of it.
func (p Point) conceal() (ecsemulator.Rule, bool) {
	rule := p.holdRule()
	rule.Kind, rule.Seconds, rule.At = ecsemulator.RuleConceal, concealment.Seconds(), ""

	return rule, p.Setting.UnlistedSeconds > 0 && p.Call.Action == "RunInstances" && p.Moment != Late
}

// latecomer is what comes about when what follows has looked; nil for nothing.
type latecomer func(context.Context) error

// latecomer is that of the point: the killed call's effect, which is held, or the sight
// of what it made.
func (p Point) latecomer(cloud *ecsemulator.Server, held *ecsemulator.Hold) latecomer {
	if held != nil {
		return func(ctx context.Context) error { return arrive(ctx, cloud, *held) }
	}

	if _, concealed := p.conceal(); concealed {
		return func(context.Context) error { return revealAll(cloud) }
	}

	return nil
}

func revealAll(cloud *ecsemulator.Server) error {
	var errs []error

	for _, instance := range cloud.Instances() {
		if err := cloud.Reveal(instance.ID); err != nil && !errors.Is(err, ecsemulator.ErrNotFound) {
			errs = append(errs, err)
		}
	}

	return errors.Join(errs...)
}

// arrive lets a held call have its effect.
func arrive(ctx context.Context, cloud *ecsemulator.Server, held ecsemulator.Hold) error {
	if err := cloud.Release(held.ID, ecsemulator.Proceed); err != nil {
		return err
	}

	for !answered(cloud, held.CallID) {
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}

	return nil
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

// underway is how long a call of a process that is killed can be under way before it
// has its effect, on the cloud's clock.
const underway = 10 * time.Second

// withLatecomer runs a command. What is late comes when the command has looked for
// machines once and has not read the answer. A command that takes longer to look, beside
// what it takes to begin, is not waited for: nothing is under way for so long.
func withLatecomer(ctx context.Context, cloud *ecsemulator.Server, late latecomer, beginning time.Duration, command func() error) error {
	if late == nil {
		return command()
	}

	rule, err := cloud.AddRule(ecsemulator.Rule{
		Kind: ecsemulator.RuleHold, Action: "DescribeInstances", AccessKeyID: successorKey, Times: 1, At: ecsemulator.MomentAfter,
	})
	if err != nil {
		return err
	}

	looking, stop := context.WithTimeout(ctx, beginning+time.Duration(float64(underway)/cloud.ClockFactor()))
	defer stop()

	come := make(chan error, 1)

	go func() {
		look, err := cloud.WaitHold(looking, rule.ID)
		if err != nil {
			come <- errors.Join(late(ctx), cloud.RemoveRule(rule.ID))

			return
		}

		come <- errors.Join(late(ctx), cloud.Release(look.ID, ecsemulator.Proceed))
	}()

	err = command()

	stop()

	return errors.Join(err, <-come)
}
