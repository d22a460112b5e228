package rpcserver

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

const (
	// abandonmentInterval is how often abandonment looks.
	abandonmentInterval = time.Second
	// abandonmentGrace bounds the wait for RPCs of an abandoned process. They
	// were canceled when the connection broke; what they still await is one call
	// on the wire, under its own shorter timeout.
	abandonmentGrace = time.Minute
)

// abandonment notices that the Terraform that started this process was killed.
// The plugin library does not: a provider only died of its next log line, written
// to a pipe that nobody reads. One that is silent would live on for ever.
type abandonment struct {
	clock clock.WithTicker
	// gone reports whether Terraform is gone.
	gone func() bool
	// idle reports whether no RPC is in flight.
	idle func() bool
}

// wait returns ErrAbandoned when Terraform is gone and no RPC is in flight any
// more (or the grace for those has passed), or ctx's error when ctx ends.
func (a abandonment) wait(ctx context.Context) error {
	ticker := a.clock.NewTicker(abandonmentInterval)
	defer ticker.Stop()

	var since time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C():
		}
		if since.IsZero() {
			if !a.gone() {
				continue
			}
			since = a.clock.Now()
		}
		if a.idle() || a.clock.Since(since) >= abandonmentGrace {
			return ErrAbandoned
		}
	}
}
