package ecs_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// A host that is not there is told to the caller, who would otherwise wait for an
// answer to the deadline.
func TestAHostThatTakesNoConnectionIsReportedSoon(t *testing.T) {
	t.Parallel()

	// A port that was free a moment ago may be another test's by now; nobody listens at
	// this one, which only a privileged service could.
	const address = "127.0.0.1:1"

	var log bytes.Buffer

	client, err := ecs.New(ecs.Config{
		Region:      "cn-hangzhou",
		Credentials: ecs.StaticCredentials("key", "secret", ""),
		Endpoints:   ecs.Endpoints{ECS: address},
		Protocol:    "http",
		Random:      func() float64 { return 0 },
		Logger:      slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(client.Close)

	_, err = client.Regions(t.Context())
	if ecs.ClassOf(err) != ecs.ClassTransient || !strings.Contains(err.Error(), "no connection") || !strings.Contains(err.Error(), address) {
		t.Errorf("the error is %v", err)
	}

	if attempts := strings.Count(log.String(), "action=DescribeRegions"); attempts != 6 {
		t.Errorf("%d attempts, want 6:\n%s", attempts, log.String())
	}
}
