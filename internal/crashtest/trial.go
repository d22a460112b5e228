package crashtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

const (
	// stopNotice is how long a request to stop travels from the command to the
	// provider before the held call is let go.
	stopNotice = 150 * time.Millisecond
	// patience is how long a command or an orphan may take to end. It is wall time,
	// and far more than either needs.
	patience = 45 * time.Second
)

// The access keys of the run that is killed and of the one that goes on. Both are
// of one account; they tell the calls of an orphan from its successor's.
const (
	victimKey    = "LTAI5tCrashVictim0000001"
	successorKey = "LTAI5tCrashSuccessor0001"
)

// trial is the run of one point.
type trial struct {
	point    Point
	scenario Scenario
	cloud    *ecsemulator.Server
	bench    *bench
	// prepared stands for %[1]s in configurations.
	prepared string
	// messages are the diagnostics that commands printed since the kill.
	messages strings.Builder
	verdict  Verdict
	// leaky is whether a command printed user data.
	leaky bool
	// group is the process group of the killed command.
	group *terraformcli.Process
	// hold is the call that is held; nil once it was let go.
	hold *ecsemulator.Hold
	// told is the class uid that an error told the user to write down.
	told string
	// begunAt is when the killed command began, on the cloud's clock.
	begunAt time.Time
	// letGoAt is when the held call went on.
	letGoAt time.Time
	// stoppedAt is when the kill came, on the cloud's clock.
	stoppedAt time.Time
	// stopped is when the kill had been noticed, on the cloud's clock. A busy machine, on
	// which a command takes long to begin, takes longer to hand a signal on.
	stopped time.Time
}

// Run runs a point. The error is not nil where the harness itself fails; what the
// product does wrong is in the verdict.
func (l *Laboratory) Run(ctx context.Context, point Point) (verdict Verdict, err error) {
	began := time.Now()

	t, err := l.newTrial(ctx, point.Scenario, point.Setting)
	if err != nil {
		return Verdict{}, err
	}

	defer func() { err = errors.Join(err, t.close()) }()

	t.point = point
	t.verdict.Point = point.Name()

	if err := t.run(ctx); err != nil {
		return Verdict{}, fmt.Errorf("%s: %w", point.Name(), err)
	}

	t.verdict.Seconds = time.Since(began).Seconds()
	t.verdict.History = history(t.cloud, t.messages.String())

	return t.verdict, nil
}

// Discover runs a scenario undisturbed and returns its calls in their order. An
// error wraps a *terraformcli.ExitError where the scenario itself does not succeed.
func (l *Laboratory) Discover(ctx context.Context, name string, setting Setting) (calls []Call, err error) {
	t, err := l.newTrial(ctx, name, setting)
	if err != nil {
		return nil, err
	}

	defer func() { err = errors.Join(err, t.close()) }()

	if err := t.before(ctx); err != nil {
		return nil, err
	}

	t.cloud.ResetCalls()

	if _, err := t.command(ctx, victimKey, t.scenario.victim); err != nil {
		return callsOf(t.cloud), fmt.Errorf("%s, undisturbed: %w", name, err)
	}

	return callsOf(t.cloud), nil
}

func (l *Laboratory) newTrial(ctx context.Context, name string, setting Setting) (*trial, error) {
	scenario, err := FindScenario(name)
	if err != nil {
		return nil, err
	}

	bench, err := l.bench(setting)
	if err != nil {
		return nil, err
	}

	t := &trial{scenario: scenario, bench: bench, point: Point{Scenario: name, Setting: setting}}

	t.cloud, t.prepared, err = openCloud(ctx, scenario, setting, ecsemulator.Options{ClockFactor: l.clockFactor})
	if err != nil {
		return nil, errors.Join(err, bench.clear())
	}

	return t, nil
}

// openCloud starts a cloud for a scenario, with the clock of options, and returns what
// stands for %[1]s in its configurations.
func openCloud(ctx context.Context, scenario Scenario, setting Setting, options ecsemulator.Options) (cloud *ecsemulator.Server, prepared string, err error) {
	options.PendingDuration = time.Second
	options.BootDuration = 6 * time.Second
	options.StopDuration = 3 * time.Second
	options.ReleaseDuration = 3 * time.Second
	options.NewVisibilityDelay = time.Duration(setting.UnlistedSeconds) * time.Second
	options.Behavior = setting.behavior()
	if scenario.behave != nil {
		scenario.behave(&options.Behavior)
	}

	options.Rules = setting.rules()
	options.AccessKeys = []ecsemulator.AccessKey{
		{ID: victimKey, Secret: ecsemulator.DefaultAccessKeySecret},
		{ID: successorKey, Secret: ecsemulator.DefaultAccessKeySecret},
	}

	cloud, err = ecsemulator.Start(ctx, options)
	if err != nil {
		return nil, "", err
	}

	for _, bystander := range bystanders() {
		if _, err := cloud.AddInstance(bystander); err != nil {
			return nil, "", errors.Join(err, cloud.Close())
		}
	}

	if scenario.prepare != nil {
		if prepared, err = scenario.prepare(cloud); err != nil {
			return nil, "", errors.Join(err, cloud.Close())
		}
	}

	return cloud, prepared, nil
}

// bystanders are machines of others, which nothing may touch.
func bystanders() []ecsemulator.NewInstance {
	return []ecsemulator.NewInstance{
		{Name: "worker-a", AgeSeconds: 86400},
		{Name: "worker-a", AgeSeconds: 60, Tags: map[string]string{ownerTag: "crash/other", nameTag: "worker-a"}},
	}
}

func (t *trial) close() error {
	var err error

	if t.group != nil {
		// What the kill left is ours to end; usually nothing is left.
		if signal := t.group.SignalGroup(os.Kill); signal != nil && !errors.Is(signal, syscall.ESRCH) {
			err = signal
		}
	}

	return errors.Join(err, t.cloud.Close(), t.bench.clear())
}

func (t *trial) run(ctx context.Context) error {
	if err := t.before(ctx); err != nil {
		return err
	}

	if err := t.kill(ctx); err != nil {
		return err
	}

	if err := t.goOn(ctx); err != nil {
		return err
	}

	if err := waitForGroup(ctx, t.group.PID(), patience); err != nil {
		t.problem("%v", err)
	}

	saved, err := t.bench.saved()
	if err != nil {
		return err
	}

	if err := t.planToFile(ctx); err != nil {
		return err
	}

	secrets, err := secretsIn(t.bench.directory)
	if err != nil {
		return err
	}

	if t.leaky || holdsSecret(saved.text) {
		secrets = append(secrets, "what a command printed or saved")
	}

	for _, place := range secrets {
		t.problem("user data stands in %s", place)
	}

	t.verdict.compare(evidence{
		ending: t.point.Ending, scenario: t.scenario, setting: t.point.Setting,
		instances: t.cloud.Instances(), journal: t.cloud.Journal(), calls: t.cloud.Calls(), disks: t.cloud.Disks(), saved: saved, messages: t.messages.String(), told: t.told != "",
	})

	if t.verdict.Reached && t.point.Kill.Stops() {
		t.verdict.Problems = append(t.verdict.Problems, callsAfterStop(t.cloud.Calls(), t.stopped, t.cloud.ClockFactor())...)
	}

	return nil
}

func (t *trial) before(ctx context.Context) error {
	for _, step := range t.scenario.before {
		if _, err := t.command(ctx, victimKey, step); err != nil {
			return fmt.Errorf("before the kill: %w", err)
		}
	}

	return nil
}

// command runs one command to its end.
func (t *trial) command(ctx context.Context, key string, step step) (terraformcli.Result, error) {
	process, err := t.start(ctx, key, step)
	if err != nil {
		return terraformcli.Result{}, err
	}

	return process.Wait()
}

func (t *trial) start(ctx context.Context, key string, step step) (*terraformcli.Process, error) {
	configuration := step.configuration
	if t.prepared != "" {
		configuration = strings.ReplaceAll(configuration, "%[1]s", t.prepared)
	}

	if err := t.bench.configure(configuration); err != nil {
		return nil, err
	}

	variables := map[string]string{}

	for _, line := range t.cloud.Environment() {
		name, value, _ := strings.Cut(line, "=")
		variables[name] = value
	}

	variables["ALIBABA_CLOUD_ACCESS_KEY_ID"] = key

	if t.traced() {
		variables["TF_LOG"] = "TRACE"
		variables["TF_LOG_PATH"] = filepath.Join(t.bench.directory, traceFile)
	}

	return t.bench.workspace(variables).Start(ctx, step.arguments...)
}

func (t *trial) problem(format string, arguments ...any) {
	t.verdict.Problems = append(t.verdict.Problems, fmt.Sprintf(format, arguments...))
}

// hear keeps the diagnostics of a command.
func (t *trial) hear(result terraformcli.Result) {
	t.leaky = t.leaky || holdsSecret(result.Stdout+result.Stderr)
	t.messages.WriteString(result.Stderr)
	t.messages.WriteString(warnings(result.Stdout))
}

// warnings are what a command printed from its first warning on, without the lines of
// its progress. A plan, which names whatever it changes, stands before its warnings.
func warnings(stdout string) string {
	var (
		kept  strings.Builder
		begun bool
	)

	for line := range strings.Lines(stdout) {
		begun = begun || strings.HasPrefix(strings.TrimLeft(line, "│ "), "Warning: ")

		if begun && !strings.Contains(line, "[id=") {
			kept.WriteString(line)
		}
	}

	return kept.String()
}
