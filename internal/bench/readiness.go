package bench

import (
	"context"
	"errors"
)

// readinessSize is the fleet that is launched in both ways. It is small enough for a
// launch that waits for each ten machines before the next ten.
const readinessSize = 100

// measureReadiness sets a fleet that one readiness waits for beside the same one, each
// machine of which is waited for by itself.
func measureReadiness(ctx context.Context, l *laboratory, r *Report, options Options) error {
	size := min(readinessSize, options.Size)

	for _, way := range []struct {
		name     string
		accepted bool
	}{{"readiness", true}, {"each_awaited", false}} {
		calls, seconds, err := l.launched(ctx, fleet{machines: size, name: "worker", accepted: way.accepted})
		if err != nil {
			return err
		}

		if err := r.add(Line{way.name + "_calls", float64(calls), "calls", 0}, Line{way.name + "_time_s", seconds, "s", 0}); err != nil {
			return err
		}
	}

	return nil
}

// launched applies the fleet in an account of its own, and returns the calls and the
// emulator's time that it took.
func (l *laboratory) launched(ctx context.Context, of fleet) (calls int, seconds float64, err error) {
	account, err := l.account(ctx, false)
	if err != nil {
		return 0, 0, err
	}

	defer func() { err = errors.Join(err, account.Close()) }()

	workspace, err := l.space(ctx, of.configuration(), account.variables())
	if err != nil {
		return 0, 0, err
	}

	account.count("init")

	began := account.Now()
	if _, err := run(ctx, workspace, "apply", "-auto-approve"); err != nil {
		return 0, 0, err
	}

	return account.count(of.name).all(), account.Now().Sub(began).Seconds(), nil
}
