package crashtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// ended is the end of a command.
type ended struct {
	result terraformcli.Result
	err    error
}

// kill runs the command that is killed, up to its end. A point whose call never
// comes is one that was not reached; the command then ends by itself.
func (t *trial) kill(ctx context.Context) error {
	rule, err := t.point.watch(t.cloud)
	if err != nil {
		return err
	}

	t.begunAt = t.cloud.Now()

	t.group, err = t.start(ctx, victimKey, t.scenario.victim)
	if err != nil {
		return err
	}

	process := t.group
	done := make(chan ended, 1)

	holding, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	go func() {
		result, err := process.Wait()
		done <- ended{result, err}

		cancel()
	}()

	hold, err := t.cloud.WaitHold(holding, rule.ID)
	if err == nil {
		t.verdict.Reached = true
		t.hold = &hold

		if err := t.strike(ctx); err != nil {
			return errors.Join(err, t.abandon(done))
		}
	} else if holding.Err() == nil {
		return errors.Join(err, t.abandon(done))
	}

	return t.awaitEnd(ctx, done)
}

// watch makes the rules by which the call of the point is met, and returns the one that
// holds it.
func (p Point) watch(cloud *ecsemulator.Server) (ecsemulator.Rule, error) {
	if rule, concealed := p.conceal(); concealed {
		if _, err := cloud.AddRule(rule); err != nil {
			return rule, err
		}
	}

	return cloud.AddRule(p.holdRule())
}

// holdRule holds the call of the point.
func (p Point) holdRule() ecsemulator.Rule {
	at := ecsemulator.MomentBefore
	if p.Moment == After {
		at = ecsemulator.MomentAfter
	}

	action := p.Call.Action
	if action == AnyCall {
		action = ""
	}

	return ecsemulator.Rule{
		Kind: ecsemulator.RuleHold, Action: action, AccessKeyID: victimKey, First: p.Call.Ordinal, Times: 1, At: at,
	}
}

// strike kills while the call is held, and lets the call go.
func (t *trial) strike(ctx context.Context) error {
	outcome := ecsemulator.Proceed
	t.stoppedAt = t.cloud.Now()

	switch t.point.Kill {
	case KillAll:
		outcome = ecsemulator.Drop

		if err := t.group.SignalGroup(syscall.SIGKILL); err != nil {
			return err
		}
	case KillCommand:
		if err := t.group.Signal(os.Kill); err != nil {
			return err
		}
	case KillProvider:
		outcome = ecsemulator.Drop

		killed, err := killChildren(ctx, t.group.PID())
		if err != nil {
			return err
		}

		if killed == 0 {
			return errors.New("there is no provider to kill")
		}
	case Interrupt, Terminate:
		signal := os.Interrupt
		if t.point.Kill == Terminate {
			signal = syscall.SIGTERM
		}

		if err := t.group.SignalGroup(signal); err != nil {
			return err
		}
	}

	if !t.point.Kill.Sudden() {
		if err := pause(ctx, stopNotice); err != nil {
			return err
		}

		notice := max(stopNotice, t.bench.laboratory.beginning/3)
		t.stopped = t.stoppedAt.Add(time.Duration(float64(notice) * t.cloud.ClockFactor()))
	}

	if t.point.Moment == Late {
		return nil // It arrives while the next command looks around.
	}

	return t.letGo(outcome)
}

// letGo ends the hold. An effect that is there stays, whatever the outcome.
func (t *trial) letGo(outcome ecsemulator.Outcome) error {
	hold := t.hold
	t.hold = nil
	t.letGoAt = time.Now()

	return t.cloud.Release(hold.ID, outcome)
}

// awaitEnd waits for the end of the killed command and hears what it said.
func (t *trial) awaitEnd(ctx context.Context, done <-chan ended) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	select {
	case end := <-done:
		if t.verdict.Reached && t.point.Kill.Stops() {
			t.judgeStop()
		}

		t.hear(end.result)
		t.bench.laboratory.states.unlock(t.bench.name)

		var exit *terraformcli.ExitError

		switch {
		case end.err == nil, errors.As(end.err, &exit):
		default:
			return end.err
		}

		if !t.verdict.Reached && end.err != nil && !t.scenario.mayFail(t.point.Setting) {
			t.problem("the command failed before it was killed: %s", firstError(end.result))
		}

		return nil
	case <-waiting.Done():
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}

		t.problem("the command did not end within %s of the kill", patience)

		return t.abandon(done)
	}
}

// abandon ends the command where there is no other way.
func (t *trial) abandon(done <-chan ended) error {
	err := t.group.SignalGroup(syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		err = nil
	}

	<-done

	return err
}

// firstError is the first line of the first error that a command printed.
func firstError(result terraformcli.Result) string {
	for line := range strings.Lines(result.Stderr) {
		if _, text, found := strings.Cut(line, "Error: "); found {
			return strings.TrimSpace(text)
		}
	}

	return fmt.Sprintf("exit status %d", result.ExitCode)
}
