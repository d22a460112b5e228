package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// naiveSize is the fleet of the naive mode, which is slow.
const naiveSize = 100

// measureAccepted measures a fleet that is launched at the speed of the API and
// waited for by one readiness.
func measureAccepted(ctx context.Context, l *laboratory, r *Report, options Options) (err error) {
	account, err := l.accountAt(ctx, l.factorOf(options.Size), false)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, account.Close()) }()

	_, took, created, err := l.launch(ctx, account, fleet{machines: options.Size, name: "worker", accepted: true}, "accepted")
	if err != nil {
		return err
	}

	r.note("creating %d and waiting once took %v", options.Size, created.byAction)

	return r.add(
		Line{"accepted_calls_per_machine", float64(created.all()) / float64(options.Size), "calls", mostAccepted},
		Line{"accepted_time_s", took.Seconds(), "s", 0},
	)
}

// measureNaive sets a refresh that asks for every machine by itself beside ours.
func measureNaive(ctx context.Context, l *laboratory, r *Report, _ Options) (err error) {
	account, err := l.account(ctx, false)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, account.Close()) }()

	workspace, err := l.space(ctx, fleet{machines: 1, name: "worker"}.configuration(), account.variables())
	if err != nil {
		return err
	}

	for _, arguments := range [][]string{{"apply", "-auto-approve"}, {"plan"}} {
		if _, err := run(ctx, workspace, arguments...); err != nil {
			return err
		}
	}

	if err := multiply(account, workspace, fleet{machines: naiveSize, name: "worker"}); err != nil {
		return fmt.Errorf("generating the state: %w", err)
	}

	twin, err := l.twin(ctx, workspace, ModeNaive)
	if err != nil {
		return err
	}

	account.count("naive-init")

	if _, err := run(ctx, workspace, "plan", "-detailed-exitcode"); err != nil {
		return err
	}

	ours := account.count("naive-ours").all()

	if _, err := run(ctx, twin, "plan", "-detailed-exitcode"); err != nil {
		return err
	}

	return r.add(
		Line{"naive_refresh_calls_per_100", float64(account.count("naive").all()), "calls", 0},
		Line{"naive_beside_refresh_calls_per_100", float64(ours), "calls", 0},
	)
}

// measureQuota measures a life under a quota. What the quota dictates is how long
// the calls of the busiest action take at its rate, but never less than the same
// step takes without one.
func measureQuota(ctx context.Context, l *laboratory, r *Report, options Options) error {
	free, err := l.timedLife(ctx, options.Size, false)
	if err != nil {
		return err
	}

	bound, err := l.timedLife(ctx, options.Size, true)
	if err != nil {
		return err
	}

	var dictated, took time.Duration

	throttled, all := 0, 0

	for step := range bound.took {
		dictated += max(free.took[step], bound.counted[step].quotaTime())
		took += bound.took[step]
		throttled += bound.counted[step].throttled
		all += bound.counted[step].all()
	}

	return r.add(
		Line{"quota_wall_ratio", took.Seconds() / dictated.Seconds(), "ratio", mostQuotaRatio},
		Line{"quota_time_s", took.Seconds(), "s", 0},
		Line{"quota_dictated_s", dictated.Seconds(), "s", 0},
		Line{"quota_throttled_share", float64(throttled) / float64(all), "ratio", 0},
	)
}

// timed is the life of a fleet: how long each of its steps took, in the emulator's time,
// and which calls.
type timed struct {
	took    []time.Duration
	counted []calls
}

// timedLife applies, plans and destroys a fleet that one readiness waits for.
func (l *laboratory) timedLife(ctx context.Context, machines int, quota bool) (life timed, err error) {
	account, err := l.account(ctx, quota)
	if err != nil {
		return timed{}, err
	}

	defer func() { err = errors.Join(err, account.Close()) }()

	workspace, err := l.space(ctx, fleet{machines: machines, name: "worker", accepted: true}.configuration(), account.variables())
	if err != nil {
		return timed{}, err
	}

	account.count("init")

	for _, arguments := range [][]string{{"apply", "-auto-approve"}, {"plan"}, {"destroy", "-auto-approve"}} {
		began := account.Now()
		if _, err := run(ctx, workspace, arguments...); err != nil {
			return timed{}, err
		}

		life.took = append(life.took, account.Now().Sub(began))
		life.counted = append(life.counted, account.count(fmt.Sprintf("%s-quota=%t", arguments[0], quota)))
	}

	return life, nil
}

// workspaces is how many applies share a quota.
const workspaces = 4

// measureConcurrent lets four applies run at once in four workspaces of one account
// with a quota, their states in one PostgreSQL.
func measureConcurrent(ctx context.Context, l *laboratory, r *Report, options Options) (err error) {
	database, err := startPostgres(ctx, filepath.Join(l.directory, "postgres"))
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, database.stop()) }() //nolint:contextcheck // It is stopped also where the context has ended.

	account, err := l.account(ctx, true)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, account.Close()) }()

	machines := options.Size / workspaces
	applied := make(chan appliedSpace, workspaces)

	var prepared []terraformcli.Workspace

	for number := range workspaces {
		f := fleet{machines: machines, name: fmt.Sprintf("team%d", number), backend: database.backend(number)}

		workspace, err := l.space(ctx, f.configuration(), account.variables())
		if err != nil {
			return err
		}

		// The backend locks a database for who makes the first state in it, so there is one
		// before they meet.
		if _, err := run(ctx, workspace, "apply", "-auto-approve", "-target=machine_class.worker"); err != nil {
			return err
		}

		prepared = append(prepared, workspace)
	}

	account.count("concurrent-init")

	for _, workspace := range prepared {
		go func() {
			began := account.Now()
			_, err := run(ctx, workspace, "apply", "-auto-approve")
			applied <- appliedSpace{account.Now().Sub(began), err}
		}()
	}

	var (
		fastest, slowest time.Duration
		failures         []error
	)

	for range workspaces {
		one := <-applied
		failures = append(failures, one.err)
		slowest = max(slowest, one.took)

		if fastest == 0 || one.took < fastest {
			fastest = one.took
		}
	}

	if err := errors.Join(failures...); err != nil {
		return err
	}

	twins := len(account.Instances()) - workspaces*machines

	return r.add(
		Line{"concurrent_slowest_over_fastest", slowest.Seconds() / fastest.Seconds(), "ratio", mostConcurrentRatio},
		Line{"concurrent_slowest_s", slowest.Seconds(), "s", 0},
		Line{"concurrent_throttled_share", share(account.count("concurrent")), "ratio", 0},
		// A bound of 0 is none, so that a twin is an error.
		Line{"concurrent_twins", float64(twins), "machines", 0},
	)
}

type appliedSpace struct {
	took time.Duration
	err  error
}

func share(counted calls) float64 { return float64(counted.throttled) / float64(max(1, counted.all())) }

// environmentOf is this process's environment with more.
func environmentOf(more ...string) []string { return append(os.Environ(), more...) }
