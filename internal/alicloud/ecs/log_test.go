package ecs

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestEveryAttemptIsLoggedWithoutItsParameters(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
		if number == 1 {
			refuse(w, 503, "ServiceUnavailable", "later")
			return
		}
		launched(w, "i-1")
	})
	var log bytes.Buffer
	client := clientOf(t, s, func(config *Config) {
		config.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	input := launchInput()
	input.UserData = "marker-of-user-data"
	if _, err := client.RunInstances(soon(t), input); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines: %s", len(lines), log.String())
	}
	for index, parts := range [][]string{
		{"action=RunInstances", "region=cn-hangzhou", "attempt=1", "code=ServiceUnavailable", "status=503", "request_id=req-ServiceUnavailable", "duration="},
		{"attempt=2", "accepted=true", "request_id=req-run"},
	} {
		for _, part := range parts {
			if !strings.Contains(lines[index], part) {
				t.Errorf("%q lacks %q", lines[index], part)
			}
		}
	}
	assertNoSecret(t, log.String(), "marker-of-user-data", "vsw-a", "worker-a", "token-1")
}

// telling is a log that others may wait for.
type telling struct {
	slog.Handler

	told chan string
}

func (telling) Enabled(context.Context, slog.Level) bool { return true }

func (l telling) Handle(_ context.Context, record slog.Record) error {
	if record.Level >= slog.LevelInfo {
		l.told <- record.Message
	}
	return nil
}

// Whoever stops a run while a launch is on the wire waits for its answer, and can read
// why.
func TestALaunchThatIsWaitedForAfterAStopSaysSo(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		close(arrived)
		<-release
		launched(w, "i-1")
	})
	log := telling{Handler: slog.DiscardHandler, told: make(chan string, 1)}
	client := clientOf(t, s, func(config *Config) { config.Logger = slog.New(log) })
	ctx, cancel := context.WithCancel(soon(t))
	ended := make(chan error, 1)
	go func() {
		_, err := client.RunInstances(ctx, launchInput())
		ended <- err
	}()
	<-arrived
	cancel()
	if said := <-log.told; said != "waiting for the answer to RunInstances, which was on its way when the run was stopped, so that its machine is known" {
		t.Errorf("the log says %q", said)
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The SDK reads DEBUG when the process starts, so that this is one of its own.
const childVariable = "ECS_TEST_CHILD_ENDPOINT"

func TestInAChildProcess(t *testing.T) {
	endpoint := os.Getenv(childVariable)
	if endpoint == "" {
		t.Skip("runs only inside the child process that other tests start")
	}
	client, err := New(Config{
		Region: testRegion, Credentials: StaticCredentials(testKeyID, testKeySecret, testToken),
		Endpoints: Endpoints{ECS: endpoint}, Protocol: "http",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	input := launchInput()
	input.UserData = "marker-of-user-data"
	if output, err := client.RunInstances(context.Background(), input); err != nil || output.InstanceIDs[0] != "i-child" {
		t.Fatalf("%+v %v", output, err)
	}
}

func runChild(t *testing.T, endpoint string, environment ...string) string {
	t.Helper()
	command := exec.CommandContext(soon(t), os.Args[0], "-test.run=^TestInAChildProcess$", "-test.v")
	command.Env = append(append(os.Environ(), childVariable+"="+endpoint), environment...)
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: TestInAChildProcess") {
		t.Errorf("%v: %s", err, output)
	}
	return string(output)
}

func TestTheDebugOutputOfTheSDKIsNeverPrinted(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { launched(w, "i-child") })
	output := runChild(t, s.address(), "DEBUG=sdk")
	assertNoSecret(t, output, "marker-of-user-data", "AccessKeyId", "> Host", "RunInstances")
}

func TestProxiesOfTheEnvironmentAreUsed(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 8)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Host
		launched(w, "i-child")
	}))
	defer proxy.Close()
	// NO_PROXY is no regular expression to us, although it is to the SDK.
	runChild(t, "ecs.machine.test", "HTTP_PROXY="+proxy.URL, "NO_PROXY=(,other.test", "no_proxy=(,other.test")
	select {
	case host := <-asked:
		if host != "ecs.machine.test" {
			t.Errorf("the proxy was asked for %q", host)
		}
	default:
		t.Error("the proxy was not asked")
	}
}
