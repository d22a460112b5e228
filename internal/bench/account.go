package bench

import (
	"context"
	"fmt"
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
}

// openAccount starts an emulator whose clock runs factor times as fast. With quota
// it lets through perMinute calls of each action and minute.
func openAccount(ctx context.Context, factor float64, quota bool) (*account, error) {
	// The first rule that fits slows every call; the quota is one more.
	rules := []ecsemulator.Rule{{Kind: ecsemulator.RuleDelay, Seconds: latency.Seconds()}}
	if quota {
		rules = append(rules, ecsemulator.Rule{Kind: ecsemulator.RuleThrottle, PerMinute: perMinute})
	}

	server, err := ecsemulator.Start(ctx, ecsemulator.Options{
		ClockFactor: factor, BootDuration: bootDuration, ReleaseDuration: releaseDuration, Rules: rules,
	})
	if err != nil {
		return nil, fmt.Errorf("starting the emulator: %w", err)
	}

	return &account{Server: server}, nil
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

// count returns the calls since the last time.
func (a *account) count() calls {
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

// quotaTime is the least time in which the quota lets the calls through: those of
// the first minute go at once.
func (c calls) quotaTime() time.Duration {
	most := 0
	for _, count := range c.byAction {
		most = max(most, count)
	}

	return time.Duration(max(0, (most-1)/perMinute)) * time.Minute
}
