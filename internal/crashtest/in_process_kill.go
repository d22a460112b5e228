package crashtest

import (
	"context"
	"errors"

	"github.com/terraform-machine/terraform-provider-machine/internal/crashtest/core"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// kill runs the command that is killed. It returns once the command is gone; its
// provider may live on as an orphan, whose end the channel tells.
func (t *inProcessTrial) kill(ctx context.Context) (<-chan error, error) {
	rule, err := t.point.watch(t.cloud)
	if err != nil {
		return nil, err
	}

	run := t.command(victimKey, t.plan.victim)
	running, cancel := context.WithCancel(ctx)

	holding, done := context.WithTimeout(ctx, patience)
	ended := make(chan error, 1)

	go func() {
		ended <- run.Apply(running)

		done()
		cancel()
	}()

	hold, err := t.cloud.WaitHold(holding, rule.ID)

	switch {
	case err == nil:
		t.verdict.Reached = true
		t.hold = &hold

		if err := t.strike(ctx, run, cancel); err != nil {
			cancel()

			return nil, errors.Join(err, <-ended)
		}
	case holding.Err() == nil:
		cancel()

		return nil, errors.Join(err, <-ended)
	}

	if !t.verdict.Reached || t.point.Kill != KillCommand {
		return t.awaitCommand(ctx, run, ended)
	}

	t.state = run.Saved()

	return ended, nil
}

// awaitCommand waits for the end of a command that is not orphaned, and takes what it
// saved.
func (t *inProcessTrial) awaitCommand(ctx context.Context, run *core.Run, ended chan error) (<-chan error, error) {
	if err := t.awaitOrphan(ctx, ended); err != nil {
		return nil, err
	}

	t.state = run.Saved()
	t.messages.WriteString(run.Said())

	ended <- nil

	return ended, nil
}

// awaitOrphan waits until the killed command's provider is at its end.
func (t *inProcessTrial) awaitOrphan(ctx context.Context, ended <-chan error) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	select {
	case err := <-ended:
		_ = err // How a command ends that was killed tells nothing.

		return nil
	case <-waiting.Done():
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}

		t.verdict.Problems = append(t.verdict.Problems, "the provider did not end after the kill")

		return nil
	}
}

// strike kills while the call is held, and lets the call go. A provider that is killed
// makes no further call: the cloud cuts them all.
func (t *inProcessTrial) strike(ctx context.Context, run *core.Run, cancel context.CancelFunc) error {
	outcome := ecsemulator.Proceed

	switch t.point.Kill {
	case KillAll, KillProvider:
		outcome = ecsemulator.Drop

		if _, err := t.cloud.AddRule(ecsemulator.Rule{Kind: ecsemulator.RuleCut, AccessKeyID: victimKey}); err != nil {
			return err
		}

		if t.point.Kill == KillAll {
			run.KillCommand()
		}

		run.KillProvider()
		cancel()
	case KillCommand:
		run.KillCommand()
		cancel()
	case Interrupt, Terminate:
		if err := run.Stop(ctx); err != nil {
			return err
		}

		cancel()
	}

	if !t.point.Kill.Sudden() {
		if err := pause(ctx, stopNoticeInProcess); err != nil {
			return err
		}

		t.stopped = len(t.cloud.Calls())
	}

	if t.point.Moment == Late {
		return nil
	}

	hold := t.hold
	t.hold = nil

	return t.cloud.Release(hold.ID, outcome)
}
