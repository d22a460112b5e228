package lifecycle_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// Who watches a long wait at INFO reads what is waited for, on which machine and since
// when, without having to know the fields.
func TestALongWaitIsToldInPlainWords(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())

	c, clk := newCloud(), newClock()
	c.onPoll = func(context.Context, int, machineops.OperationRequest, machineops.ProviderOperation) (machineops.PollResult, error) {
		result := machineops.PollResult{State: machineops.ProviderOperationStateInProgress, Message: "the machine is Stopping"}
		result.Result.ProviderID = "cn-hangzhou.i-1"

		return result, nil
	}
	clk.hold = func(wait int, _ time.Duration) bool {
		if wait == 3 {
			cancel()
		}

		return wait == 3
	}

	var log bytes.Buffer

	runner := c.runner(t, clk)
	runner.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))

	_, err := runner.Run(ctx, lifecycle.Run{Request: reboot()})
	wantUnfinished(t, err, context.Canceled)

	for _, want := range []string{`msg="HostReboot of cn-hangzhou.i-1, begun `, ` ago, is still in progress: the machine is Stopping"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}
