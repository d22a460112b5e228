package ecs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// patience ends the retries of a call whose context has no deadline.
const patience = 5 * time.Minute

// attempts is what a call that came to its end took.
type attempts struct {
	made int
	// lost counts those whose effect, if any, no answer told.
	lost int
}

// do repeats a call's request until it is accepted, is refused for good, or ctx
// ends. There is one deadline, that of ctx. The error is an *Error, or one that
// wraps the last *Error and what ended ctx.
func (c *Client) do(ctx context.Context, k call) (attempts, error) {
	if _, bounded := ctx.Deadline(); !bounded && !k.unbounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	var (
		spent   attempts
		last    *Error
		limited = make(map[string]int)
		began   = c.clock.Now()
		// unreachable counts the attempts in a row that did not get to the API.
		unreachable int
	)
	for {
		allowed, ok := c.admitted(ctx, k)
		if !ok {
			return spent, c.gaveUp(ctx, k, last, spent, began)
		}
		spent.made++
		failure := c.logged(ctx, k, spent.made)
		c.limits.report(allowed, outcomeOf(failure))
		if failure == nil {
			return spent, nil
		}
		if failure.Ambiguous {
			spent.lost++
		}
		if errors.Is(failure, context.Canceled) || errors.Is(failure, context.DeadlineExceeded) {
			// Ended by ctx without a word of the server.
			return spent, c.gaveUp(ctx, k, last, spent, began)
		}
		failure.Ambiguous = spent.lost > 0
		last = failure
		if k.failed != nil {
			k.failed(failure)
		}
		if !c.again(k, failure, limited) {
			return spent, failure
		}
		if unreachable++; !failure.unreachable && !failure.foreign {
			unreachable = 0
		}
		if unreachable > 0 && c.reach.givesUp(c.hostOf(k), unreachable, failure) {
			failure.UnknownRegion = failure.Class == ClassUnreachable && nameUnknown(failure) && c.regionUnknown(k)
			return spent, failure
		}
		if pause := c.delay(failure, spent.made); pause > 0 && !c.wait(ctx, pause) {
			return spent, c.gaveUp(ctx, k, last, spent, began)
		}
	}
}

// again decides whether the same request is worth another attempt.
func (c *Client) again(k call, failure *Error, limited map[string]int) bool {
	if k.once && failure.Ambiguous {
		return false
	}
	decided := classify(k.action, failure.Code, failure.Message, failure.Status)
	if failure.Code != "" && decided.retries > 0 {
		limited[failure.Code]++
		return limited[failure.Code] <= decided.retries
	}
	return k.repeats(failure.Class)
}

// gaveUp is the end of a call whose context ended first.
func (c *Client) gaveUp(ctx context.Context, k call, last *Error, spent attempts, began time.Time) error {
	where := k.action
	if k.region != "" {
		where += " in " + k.region
	}
	switch {
	case spent.made == 0:
		return &gaveUpError{text: fmt.Sprintf("%s: not begun: %s", where, howEnded(ctx)), cause: ctx.Err()}
	case last == nil:
		return &gaveUpError{text: fmt.Sprintf("%s: %s before an answer", where, howEnded(ctx)), cause: ctx.Err()}
	}
	verb := "gave up"
	if errors.Is(ctx.Err(), context.Canceled) {
		verb = "stopped"
	}
	duration := c.clock.Since(began).Round(10 * time.Millisecond)
	noun := "attempts"
	if spent.made == 1 {
		noun = "attempt"
	}
	return &gaveUpError{
		text:  fmt.Sprintf("%s after %d %s over %s: %s", verb, spent.made, noun, duration, last.Error()),
		cause: ctx.Err(),
		last:  last,
	}
}

// logged makes one attempt and tells the log of it, without its parameters.
func (c *Client) logged(ctx context.Context, k call, number int) *Error {
	began := time.Now()
	requestID, failure := c.attempt(ctx, k)
	code, status := "", 0
	if failure != nil {
		code, status, requestID = failure.Code, failure.Status, failure.RequestID
	}
	c.logger.LogAttrs(ctx, slog.LevelDebug, "Alibaba Cloud API call",
		slog.String("action", k.action),
		slog.String("region", k.region),
		slog.Int("attempt", number),
		slog.Bool("accepted", failure == nil),
		slog.String("code", code),
		slog.Int("status", status),
		slog.String("request_id", requestID),
		slog.Duration("duration", time.Since(began)),
	)
	return failure
}

// readRepeats is for calls without an effect.
func readRepeats(class Class) bool { return class == ClassTransient || class == ClassThrottled }

// writeRepeats is for calls that may be repeated although an earlier attempt may
// have taken effect.
func writeRepeats(class Class) bool { return readRepeats(class) || class == ClassTokenProcessing }

// howEnded says of a context that has ended what happened, as a user would.
func howEnded(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.Canceled) {
		return "interrupted"
	}

	return "out of time"
}
