package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// The setting of all measurements, in the emulator's time.
const (
	latency         = 40 * time.Millisecond
	bootDuration    = 30 * time.Second
	releaseDuration = 3 * time.Second
	// perMinute is the quota of each action, where one is set.
	perMinute = 100
)

// account is an emulated account that one measurement has for itself.
type account struct {
	*ecsemulator.Server

	// journal, where set, gets a line for each call.
	journal io.Writer
	// unwritten is what became of lines that could not be written.
	unwritten error
}

// Close ends the emulator. Its error also tells of lines that could not be written.
func (a *account) Close() error { return errors.Join(a.Server.Close(), a.unwritten) }

// account starts an emulator. With quota it lets through perMinute calls of each
// action and minute.
func (l *laboratory) account(ctx context.Context, quota bool) (*account, error) {
	// The first rule that fits slows every call; the quota is one more.
	rules := []ecsemulator.Rule{{Kind: ecsemulator.RuleDelay, Seconds: latency.Seconds()}}
	if quota {
		rules = append(rules, ecsemulator.Rule{Kind: ecsemulator.RuleThrottle, PerMinute: perMinute})
	}

	server, err := ecsemulator.Start(ctx, ecsemulator.Options{
		ClockFactor: l.factor, BootDuration: bootDuration, ReleaseDuration: releaseDuration, Rules: rules,
	})
	if err != nil {
		return nil, fmt.Errorf("starting the emulator: %w", err)
	}

	return &account{Server: server, journal: l.journal}, nil
}

// variables are the environment of a provider of this account.
func (a *account) variables() map[string]string {
	variables := map[string]string{"ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true", "ALIBABA_CLOUD_CLI_PROFILE_DISABLED": "true"}

	for _, line := range a.Environment() {
		name, value, _ := strings.Cut(line, "=")
		variables[name] = value
	}

	return variables
}

// calls are how many calls one step took.
type calls struct {
	reading, mutating int
	byAction          map[string]int
	// throttled are those that the quota refused.
	throttled int
}

func (c calls) all() int { return c.reading + c.mutating }

// count returns the calls since the last time, and writes them down as those of a
// step.
func (a *account) count(step string) calls {
	if a.journal != nil {
		a.unwritten = errors.Join(a.unwritten, writeCalls(a.journal, step, a.Calls()))
	}

	counted := calls{byAction: maps.Clone(a.Counts())}

	for action, count := range counted.byAction {
		if strings.HasPrefix(action, "Describe") || strings.HasPrefix(action, "List") || strings.HasPrefix(action, "Get") {
			counted.reading += count
		} else {
			counted.mutating += count
		}
	}

	for _, answer := range a.AnswerCounts() {
		if strings.HasPrefix(answer.Code, "Throttling") {
			counted.throttled += answer.Calls
		}
	}

	a.ResetCalls()

	return counted
}

// writeCalls writes a line for each call: the step, when it arrived in seconds since
// the first one, its action, how many machines it named, and the code of its answer.
func writeCalls(to io.Writer, step string, made []ecsemulator.Call) error {
	for _, call := range made {
		named := strings.Count(call.Parameters["InstanceIds"], "i-")

		for name := range call.Parameters {
			if strings.HasPrefix(name, "InstanceId.") || strings.HasPrefix(name, "ResourceId.") {
				named++
			}
		}

		_, err := fmt.Fprintf(to, "%s\t%.3f\t%s\t%d\t%s\n", step, call.Time.Sub(made[0].Time).Seconds(), call.Action, named, call.Code)
		if err != nil {
			return err
		}
	}

	return nil
}

// quotaTime is the least time in which the quota lets the calls through: those of
// the first minute go at once.
func (c calls) quotaTime() time.Duration {
	most := 0
	for _, count := range c.byAction {
		most = max(most, count)
	}

	return time.Duration(max(0, (most-1)/perMinute)) * time.Minute
}
