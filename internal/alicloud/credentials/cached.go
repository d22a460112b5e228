package credentials

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

const (
	// renewBefore is how long before its end a key is renewed, so that no call is on
	// the wire with one that ends.
	renewBefore = 3 * time.Minute
	// renewPause is how long a renewal that failed, or gave no later end, is not tried
	// again while the key still holds.
	renewPause = 10 * time.Second
)

// key is an access key and when it ends; the zero time is never.
type key struct {
	ecs.CredentialValue

	ends time.Time
}

// Format tells nothing of the key.
func (k key) Format(state fmt.State, verb rune) { k.CredentialValue.Format(state, verb) }

// source gives a key, by a call or from a file. It is asked by one at a time.
type source func(ctx context.Context) (key, error)

// cached keeps what a source gave and renews it before it ends. It is safe for
// concurrent use; those who come while it renews wait, as long as their own
// context lets them.
type cached struct {
	source source
	clock  clock.PassiveClock
	// turn is held by who renews.
	turn chan struct{}

	mu      sync.Mutex
	current key
	known   bool
	paused  time.Time
}

func newCached(c clock.PassiveClock, from source) *cached {
	return &cached{source: from, clock: c, turn: make(chan struct{}, 1)}
}

// Format tells nothing of what it holds.
func (c *cached) Format(state fmt.State, _ rune) {
	// A failed write to a formatter has nobody to be told to.
	_, _ = io.WriteString(state, "credentials")
}

// Credentials implements ecs.Credentials.
func (c *cached) Credentials(ctx context.Context) (ecs.CredentialValue, error) {
	if value, fresh := c.fresh(); fresh {
		return value, nil
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ecs.CredentialValue{}, ctx.Err()
	}
	defer func() { <-c.turn }()
	if value, fresh := c.fresh(); fresh {
		// Somebody else has renewed it meanwhile.
		return value, nil
	}
	renewed, err := c.source(ctx)

	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		// The instance metadata service gives the same key until it has another.
		c.current, c.known, c.paused = renewed, true, c.clock.Now().Add(renewPause)
		return renewed.CredentialValue, nil
	}
	if now := c.clock.Now(); ctx.Err() == nil && c.known && now.Before(c.current.ends) {
		c.paused = now.Add(renewPause)
		return c.current.CredentialValue, nil
	}
	return ecs.CredentialValue{}, err
}

// fresh returns the key if it need not be renewed now.
func (c *cached) fresh() (ecs.CredentialValue, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	holds := c.known && (c.current.ends.IsZero() || now.Before(c.current.ends.Add(-renewBefore)) ||
		now.Before(c.current.ends) && now.Before(c.paused))
	return c.current.CredentialValue, holds
}

// Expired is told of a key that the API takes for expired: clocks may differ.
func (c *cached) Expired(value ecs.CredentialValue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current.CredentialValue == value {
		c.known = false
	}
}
