package crashtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/crashtest/core"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
	"github.com/terraform-machine/terraform-provider-machine/internal/rpcserver"
)

// InProcessPrefix begins the names of points that run in this process.
const InProcessPrefix = "in-process/"

// stopNoticeInProcess is stopNotice where nothing has to travel far.
const stopNoticeInProcess = 3 * time.Millisecond

// InProcess is where points are run in this process: the provider is made anew for
// each command, and a stand-in for Terraform's core drives it. Its methods may be
// called by many at once.
type InProcess struct {
	clockFactor float64
	origin      time.Time
}

// OpenInProcess sets the environment variables by which providers in this process
// follow the clocks of its clouds.
func OpenInProcess(clockFactor float64) (*InProcess, error) {
	place := &InProcess{clockFactor: clockFactor, origin: time.Now()}

	return place, place.follow()
}

// follow lets providers follow the clock.
func (p *InProcess) follow() error {
	for name, value := range map[string]string{
		"TF_MACHINE_CLOCK_FACTOR": strconv.FormatFloat(p.clockFactor, 'g', -1, 64),
		"TF_MACHINE_CLOCK_ORIGIN": p.origin.UTC().Format(time.RFC3339Nano),
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}

	return nil
}

// Slow implements [Place].
func (p *InProcess) Slow() error {
	p.clockFactor /= slowdown

	return p.follow()
}

// newProvider makes a provider as main does, and returns what main does at its end.
func newProvider() (tfprotov6.ProviderServer, func(context.Context), error) {
	connector := provider.AlicloudConnector{
		Complete: alicloud.Complete,
		Auth:     alicloud.Auth,
		Connect:  func(settings driver.Settings) (provider.Cloud, error) { return alicloud.New(settings) },
	}

	background := &provider.Background{}

	server, err := rpcserver.WrapWithError(func() (tfprotov6.ProviderServer, error) {
		return providerserver.NewProtocol6WithError(provider.New(providerVersion, connector, provider.WithBackground(background))())()
	})()

	return server, background.Flush, err
}

// inProcessTrial is the run of one point in this process.
type inProcessTrial struct {
	point    Point
	scenario Scenario
	plan     inProcessPlan
	cloud    *ecsemulator.Server
	// prepared stands for %[1]s in configurations.
	prepared string
	state    core.State
	verdict  Verdict
	messages strings.Builder
	told     string
	hold     *ecsemulator.Hold
	stopped  time.Time
}

// Run runs a point; see [Laboratory.Run].
func (p *InProcess) Run(ctx context.Context, point Point) (verdict Verdict, err error) {
	began := time.Now()

	t, err := p.newTrial(ctx, point)
	if err != nil {
		return Verdict{}, err
	}

	defer func() { err = errors.Join(err, t.cloud.Close()) }()

	t.verdict.Point = InProcessPrefix + point.Name()

	if err := t.run(ctx); err != nil {
		return Verdict{}, fmt.Errorf("%s: %w", t.verdict.Point, err)
	}

	t.verdict.Seconds = time.Since(began).Seconds()
	t.verdict.History = history(t.cloud, t.messages.String())

	return t.verdict, nil
}

// Discover runs a scenario undisturbed; see [Laboratory.Discover].
func (p *InProcess) Discover(ctx context.Context, name string, setting Setting) (calls []Call, err error) {
	t, err := p.newTrial(ctx, Point{Scenario: name, Setting: setting})
	if err != nil {
		return nil, err
	}

	defer func() { err = errors.Join(err, t.cloud.Close()) }()

	if err := t.before(ctx); err != nil {
		return nil, err
	}

	t.cloud.ResetCalls()

	run := t.command(victimKey, t.plan.victim)
	if err := run.Apply(ctx); err != nil {
		return callsOf(t.cloud), fmt.Errorf("%s, undisturbed in this process: %w", name, err)
	}

	return callsOf(t.cloud), nil
}

func callsOf(cloud *ecsemulator.Server) []Call {
	var calls []Call

	ordinals := map[string]int{}

	for _, call := range cloud.Calls() {
		ordinals[call.Action]++
		calls = append(calls, Call{Action: call.Action, Ordinal: ordinals[call.Action]})
	}

	return calls
}

func (p *InProcess) newTrial(ctx context.Context, point Point) (*inProcessTrial, error) {
	scenario, err := FindScenario(point.Scenario)
	if err != nil {
		return nil, err
	}

	plan, found := inProcessPlans()[point.Scenario]
	if !found {
		return nil, fmt.Errorf("scenario %s runs through the real command only", point.Scenario)
	}

	cloud, prepared, err := openCloud(ctx, scenario, point.Setting, ecsemulator.Options{ClockFactor: p.clockFactor, ClockOrigin: p.origin})
	t := &inProcessTrial{point: point, scenario: scenario, plan: plan, cloud: cloud, prepared: prepared}

	if plan.foreign != "" {
		t.state.Foreign = &core.Foreign{Provider: vendorsProvider, Type: "alicloud_instance", JSON: strings.ReplaceAll(plan.foreign, "%[1]s", prepared)}
	}

	return t, err
}

const vendorsProvider = "registry.terraform.io/aliyun/alicloud"

// command is one command of the user with an access key.
func (t *inProcessTrial) command(key string, configuration core.Configuration) *core.Run {
	endpoint := t.cloud.Endpoint()
	configuration.Provider = core.Arguments{
		"owner": owner,
		"alicloud": core.Arguments{
			"region":            ecsemulator.DefaultRegionID,
			"access_key_id":     key,
			"access_key_secret": ecsemulator.DefaultAccessKeySecret,
			"protocol":          "http",
			"endpoints":         core.Arguments{"ecs": endpoint, "vpc": endpoint, "sts": endpoint},
		},
	}

	configuration.Import = strings.ReplaceAll(configuration.Import, "%[1]s", t.prepared)

	if t.told != "" && configuration.Class != nil {
		configuration.Class = maps.Clone(configuration.Class)
		configuration.Class["uid"] = t.told
	}

	return core.NewRun(newProvider, configuration, t.state, t.point.Setting.RemoteState)
}

func (t *inProcessTrial) before(ctx context.Context) error {
	for _, configuration := range t.plan.before {
		run := t.command(victimKey, configuration)
		if err := run.Apply(ctx); err != nil {
			return fmt.Errorf("before the kill: %w", err)
		}

		t.state = run.Saved()
	}

	if t.plan.tainted {
		t.state.Taint()
	}

	return nil
}

func (t *inProcessTrial) run(ctx context.Context) error {
	if err := t.before(ctx); err != nil {
		return err
	}

	ended, err := t.kill(ctx)
	if err != nil {
		return err
	}

	if err := t.goOn(ctx); err != nil {
		return err
	}

	if err := t.awaitOrphan(ctx, ended); err != nil {
		return err
	}

	if err := t.applyOnceMore(ctx); err != nil {
		return err
	}

	operations, err := t.state.OperationStrings("phase")
	if err != nil {
		return err
	}

	machines, err := t.state.Strings("provider_resource_id")
	if err != nil {
		return err
	}

	t.verdict.compare(evidence{
		ending: t.point.Ending, scenario: t.scenario, setting: t.point.Setting,
		instances: t.cloud.Instances(), journal: t.cloud.Journal(), calls: t.cloud.Calls(), disks: t.cloud.Disks(), messages: t.messages.String(),
		saved: savedState{hasClass: t.state.Class != nil, machines: machines, operations: operations, text: t.state.Text()},
	})

	if t.verdict.Reached && t.point.Kill.Stops() {
		t.verdict.Problems = append(t.verdict.Problems, callsAfterStop(t.cloud.Calls(), t.stopped, t.cloud.ClockFactor())...)
	}

	return nil
}

// goOn does what the user does next; see trial.goOn.
func (t *inProcessTrial) goOn(ctx context.Context) error {
	wanted := t.plan.victim
	wanted.Replace = false

	if t.point.Ending == Apply || t.state.Class == nil {
		if err := t.following(ctx, Apply, wanted); err != nil {
			return err
		}
	}

	if t.point.Ending == Destroy {
		return t.following(ctx, Destroy, core.Configuration{CreateBeforeDestroy: wanted.CreateBeforeDestroy})
	}

	return nil
}

// applyOnceMore applies what changes machines a second time: nothing is done to them any
// more, and nothing of what was is left on them.
func (t *inProcessTrial) applyOnceMore(ctx context.Context) error {
	if t.point.Ending != Apply || len(t.scenario.end.effects) == 0 || len(t.verdict.Refused) > 0 {
		return nil
	}

	if err := t.following(ctx, Apply, t.plan.victim); err != nil {
		return err
	}

	for _, instance := range t.cloud.Instances() {
		if tag := instance.Tags[operationTag]; tag != "" && len(t.verdict.Refused) == 0 {
			t.verdict.Problems = append(t.verdict.Problems, fmt.Sprintf("%s still carries the trace of an operation: %s", instance.ID, tag))
		}
	}

	return nil
}

func (t *inProcessTrial) following(ctx context.Context, what Ending, configuration core.Configuration) error {
	said, err := t.successor(ctx, configuration)

	if told := toldLine.FindStringSubmatch(said); err != nil && told != nil && t.told == "" && !t.scenario.refused {
		t.told = told[1]
		_, err = t.successor(ctx, configuration)
	}

	if err != nil && ctx.Err() == nil {
		t.verdict.Refused = append(t.verdict.Refused, string(what)+" fails: "+firstLine(err))

		return nil
	}

	return err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")

	return line
}

// successor runs a command to its end, and returns what the provider said.
func (t *inProcessTrial) successor(ctx context.Context, configuration core.Configuration) (string, error) {
	run := t.command(successorKey, configuration)

	err := withLatecomer(ctx, t.cloud, t.point.latecomer(t.cloud, t.hold), 0, func() error { return run.Apply(ctx) })
	t.hold = nil
	t.state = run.Saved()
	t.messages.WriteString(run.Said())

	return run.Said(), err
}
