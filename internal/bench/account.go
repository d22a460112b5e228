package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
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
	// closely is the factor of steps in which the machines of a fleet of many follow each
	// other as fast as Terraform hands them out. With a state of 1,000 each takes it some
	// tenths of a second, of which a greater factor makes seconds.
	closely = 2
	many    = 1000
)

// account is an emulated account that one measurement has for itself.
type account struct {
	*ecsemulator.Server

	options ecsemulator.Options

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
	return l.accountAt(ctx, l.factor, quota)
}

// roomyAccount starts an emulator whose vSwitches have some 65,000 addresses each, for a
// large fleet: those of the built-in catalogue have some 4,000.
func (l *laboratory) roomyAccount(ctx context.Context) (*account, error) {
	catalogue, err := ecsemulator.DefaultCatalogue()
	if err != nil {
		return nil, fmt.Errorf("reading the emulator's catalogue: %w", err)
	}

	vswitches := catalogue.Regions[0].VPCs[0].VSwitches
	for i := range vswitches {
		vswitches[i].CIDR = fmt.Sprintf("10.%d.0.0/16", 64+i)
	}

	return l.start(ctx, ecsemulator.Options{ClockFactor: l.factor, Catalogue: catalogue})
}

// factorOf is the factor of such a step of a fleet of that size.
func (l *laboratory) factorOf(size int) float64 {
	if size < many {
		return l.factor
	}

	return min(closely, l.factor)
}

// accountAt starts an emulator whose clock runs at the factor.
func (l *laboratory) accountAt(ctx context.Context, factor float64, quota bool) (*account, error) {
	options := ecsemulator.Options{ClockFactor: factor}
	if quota {
		options.Rules = []ecsemulator.Rule{{Kind: ecsemulator.RuleThrottle, PerMinute: perMinute}}
	}

	return l.start(ctx, options)
}

// start starts an emulator with the options, and with the setting that all accounts have.
func (l *laboratory) start(ctx context.Context, options ecsemulator.Options) (*account, error) {
	l.accounts++

	options.BootDuration, options.ReleaseDuration = bootDuration, releaseDuration
	options.StateFile = filepath.Join(l.directory, fmt.Sprintf("account-%d.json", l.accounts))
	// The first rule that fits slows every call; a quota is one more.
	options.Rules = append([]ecsemulator.Rule{{Kind: ecsemulator.RuleDelay, Seconds: latency.Seconds()}}, options.Rules...)

	server, err := ecsemulator.Start(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("starting the emulator: %w", err)
	}

	return &account{Server: server, options: options, journal: l.journal}, nil
}

// pace lets the account's clock go on at a smaller factor. Its endpoints are others then,
// so that whoever uses it needs its variables anew.
func (a *account) pace(ctx context.Context, factor float64) error {
	if factor >= a.options.ClockFactor {
		return nil
	}

	reached := a.Now()
	if err := a.Server.Close(); err != nil {
		return err
	}

	// Since then a clock of that factor has come to the same time by now.
	now := time.Now()
	a.options.ClockFactor, a.options.ClockOrigin = factor, now.Add(-time.Duration(float64(reached.Sub(now))/(factor-1)))

	server, err := ecsemulator.Start(ctx, a.options)
	if err != nil {
		return fmt.Errorf("starting the emulator again: %w", err)
	}

	a.Server = server

	return nil
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
