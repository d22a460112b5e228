package ecs

import (
	"context"
	"log/slog"
)

// tellOfWait says in the log, where the caller is interrupted while a call with an
// effect is on the wire, that its answer is waited for, and why. What it returns has to be
// called when the answer is there.
func (c *Client) tellOfWait(ctx context.Context, k call) func() {
	if !k.mutates {
		return func() {}
	}
	why := "so that what it did is known"
	if k.action == "RunInstances" {
		why = "so that its machine is known"
	}
	told := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(told)
		c.logger.LogAttrs(ctx, slog.LevelInfo, "waiting for the answer to "+k.action+", which was on its way when the run was stopped, "+why,
			slog.String("action", k.action), slog.String("region", k.region), slog.Duration("at_most", actionTimeout(k.action)))
	})
	return func() {
		if !stop() {
			<-told
		}
	}
}
