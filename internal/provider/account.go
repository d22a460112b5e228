package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// account tells whose credentials the provider has, asked once per process.
type account struct {
	ask func(ctx context.Context, region string) (string, error)

	// turn holds one token, which whoever reads or writes id has taken.
	turn chan struct{}
	id   string
	// tried is set once known has asked in vain.
	tried bool
}

// knownTimeout bounds what known waits: where STS cannot be reached, nothing but the
// check of the account is lost.
const knownTimeout = 5 * time.Second

func newAccount(ask func(ctx context.Context, region string) (string, error)) *account {
	return &account{ask: ask, turn: make(chan struct{}, 1)}
}

// get returns the account, asking in the region where it is not known yet.
func (a *account) get(ctx context.Context, region string) (string, error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return "", machineops.Ended(ctx)
	}

	return a.askOnce(ctx, region)
}

// askOnce asks where that was not answered before; the caller has the turn.
func (a *account) askOnce(ctx context.Context, region string) (string, error) {
	if a.id != "" {
		return a.id, nil
	}

	id, err := a.ask(ctx, region)
	if err == nil {
		a.id = id
	}

	return id, err
}

// known returns the account, or nothing where it cannot be had soon: it is to be
// recorded, and a later run can do that as well.
func (a *account) known(ctx context.Context, region string) string {
	bounded, cancel := context.WithTimeout(ctx, knownTimeout)
	defer cancel()

	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-bounded.Done():
		return ""
	}

	if a.id == "" && a.tried {
		return ""
	}

	id, err := a.askOnce(bounded, region)
	a.tried = err != nil && ctx.Err() == nil

	return id
}

// otherAccountError reports that what a state holds is in another account.
type otherAccountError struct{ what, recorded, current string }

// Error names both accounts.
func (e *otherAccountError) Error() string {
	return fmt.Sprintf("%s is in the account %s, and the credentials are those of the account %s", e.what, e.recorded, e.current)
}

// check returns an error where what is recorded is in another account, or where it
// could not be asked whether it is. Nothing recorded fits every account.
func (a *account) check(ctx context.Context, what, recorded, region string) error {
	if recorded == "" {
		return nil
	}

	current, err := a.get(ctx, region)
	if err != nil {
		return fmt.Errorf("%s is in the account %s, and it is not known whose the credentials are: %w", what, recorded, err)
	}

	if current != recorded {
		return &otherAccountError{what: what, recorded: recorded, current: current}
	}

	return nil
}
