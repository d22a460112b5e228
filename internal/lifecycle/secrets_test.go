package lifecycle_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestCredentialsThatCannotBeHadAreAskedForAgain(t *testing.T) {
	t.Parallel()

	c := newCloud()
	runner := c.runner(t, newClock())

	asked := 0
	runner.Auth = func(ctx context.Context) (*machineops.OperationAuth, error) {
		if asked++; asked%2 == 1 {
			return nil, errTransient
		}

		return credentials(ctx)
	}

	if _, err := runner.Run(t.Context(), lifecycle.Run{Request: reboot()}); err != nil {
		t.Fatalf("Run: %v", err)
	}

	wantCounts(t, c, map[string]int{"begin": 1, "poll": 1, "cleanup": 1})

	if asked != 6 {
		t.Errorf("credentials were asked for %d times, want twice for each of 3 calls", asked)
	}

	runner.Auth = func(context.Context) (*machineops.OperationAuth, error) {
		return nil, permanent(v1alpha3.ReasonCredentialsRefused, "revoked")
	}

	_, err := runner.Run(t.Context(), lifecycle.Run{Request: reboot()})
	wantFailed(t, err, v1alpha3.ReasonCredentialsRefused)
}

func TestFirstBootDataReachesTheBeginningAndNothingElse(t *testing.T) {
	t.Parallel()

	var (
		records []lifecycle.PendingOperation
		log     bytes.Buffer
	)

	c := newCloud()
	runner := c.runner(t, newClock(),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostReplace, c.begin, c.poll,
			machineops.RequiresReplaceUserData(), machineops.WithCleanup(c.cleanup)))
	runner.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))

	request := reboot()
	request.Operation = v1alpha3.OperationHostReplace
	request.ReplaceUserData = secret

	outcome, err := runner.Run(t.Context(), lifecycle.Run{Request: request, Recorder: c.recorder(&records)})
	if err != nil {
		t.Fatalf("Run: %v", err)
	}

	if got := c.requests("begin"); len(got) != 1 || got[0].ReplaceUserData != secret {
		t.Errorf("Begin did not get the user data")
	}

	for _, event := range []string{"poll", "cleanup"} {
		if got := c.requests(event); len(got) != 1 || got[0].ReplaceUserData != "" {
			t.Errorf("%s got the user data", event)
		}
	}

	for _, record := range records {
		encoded, err := lifecycle.Record{Operation: &record}.Encode()
		if err != nil || bytes.Contains(encoded, []byte(secret)) {
			t.Errorf("record %s, %v", encoded, err)
		}
	}

	if strings.Contains(log.String(), secret) || strings.Contains(outcome.Message, secret) {
		t.Errorf("the secret was told")
	}
}
