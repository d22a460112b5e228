package lifecycle_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	cloudName = "Cloud"
	machineID = "north.m-1"
	secret    = "first-boot-secret"
)

var errTransient = errors.New("the service is busy")

func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// steppingClock passes every wait at once and notes how long it was, so that a
// test sees the waits and spends none of them.
type steppingClock struct {
	*clocktesting.FakeClock

	mu    sync.Mutex
	waits []time.Duration
	// hold, where set, decides for each wait whether it lasts until its context ends.
	hold func(wait int, d time.Duration) bool
}

func newClock() *steppingClock { return &steppingClock{FakeClock: clocktesting.NewFakeClock(start())} }

// NewTimer implements clock.Clock. The second that a recorder is granted after an
// interrupt is no wait of the operation.
func (c *steppingClock) NewTimer(d time.Duration) clock.Timer {
	timer := c.FakeClock.NewTimer(d)
	if d == time.Second {
		return timer
	}

	c.mu.Lock()
	c.waits = append(c.waits, d)
	held := c.hold != nil && c.hold(len(c.waits), d)
	c.mu.Unlock()

	if !held {
		c.Step(d)
	}

	return timer
}

func (c *steppingClock) waited() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Clone(c.waits)
}

// cloud is a registration whose answers a test scripts. It notes every call in
// order, with its request.
type cloud struct {
	mu     sync.Mutex
	events []string
	seen   map[string][]machineops.OperationRequest

	onBegin   func(ctx context.Context, n int, request machineops.OperationRequest) (machineops.BeginResult, error)
	onPoll    func(ctx context.Context, n int, request machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error)
	onExecute func(ctx context.Context, n int, request machineops.OperationRequest) (machineops.OperationResult, error)
	onCleanup func(ctx context.Context, n int, request machineops.OperationRequest, result machineops.OperationResult) error
	onResolve func(ctx context.Context, n int) (machineops.ClassResolution, error)
	// afterEvent, where set, is told of every event.
	afterEvent func(event string)
}

func newCloud() *cloud {
	return &cloud{
		seen: map[string][]machineops.OperationRequest{},
		onBegin: func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
			return begun(), nil
		},
		onPoll: func(context.Context, int, machineops.OperationRequest, machineops.ProviderOperation) (machineops.PollResult, error) {
			return succeeded(), nil
		},
		onExecute: func(context.Context, int, machineops.OperationRequest) (machineops.OperationResult, error) {
			return machineops.OperationResult{ProviderID: machineID}, nil
		},
		onCleanup: func(context.Context, int, machineops.OperationRequest, machineops.OperationResult) error { return nil },
	}
}

// note adds an event and returns how often it has happened.
func (c *cloud) note(event string, request *machineops.OperationRequest) int {
	c.mu.Lock()
	c.events = append(c.events, event)

	if request != nil {
		c.seen[event] = append(c.seen[event], *request)
	}

	count := 0

	for _, before := range c.events {
		if before == event {
			count++
		}
	}

	after := c.afterEvent
	c.mu.Unlock()

	if after != nil {
		after(event)
	}

	return count
}

func (c *cloud) happened() []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Clone(c.events)
}

func (c *cloud) count(event string) int {
	c.mu.Lock()
	defer c.mu.Unlock()

	count := 0

	for _, happened := range c.events {
		if happened == event {
			count++
		}
	}

	return count
}

func (c *cloud) requests(event string) []machineops.OperationRequest {
	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Clone(c.seen[event])
}

func (c *cloud) begin(ctx context.Context, request machineops.OperationRequest) (machineops.BeginResult, error) {
	return c.onBegin(ctx, c.note("begin", &request), request)
}

func (c *cloud) poll(ctx context.Context, request machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
	return c.onPoll(ctx, c.note("poll", &request), request, handle)
}

func (c *cloud) execute(ctx context.Context, request machineops.OperationRequest) (machineops.OperationResult, error) {
	return c.onExecute(ctx, c.note("execute", &request), request)
}

func (c *cloud) cleanup(ctx context.Context, request machineops.OperationRequest, result machineops.OperationResult) error {
	return c.onCleanup(ctx, c.note("cleanup", &request), request, result)
}

func (c *cloud) resolve(ctx context.Context, _ machineops.ClassRequest) (machineops.ClassResolution, error) {
	return c.onResolve(ctx, c.note("resolve", nil))
}

// register registers the cloud with long-running reboots, and whatever options
// add.
func (c *cloud) register(t failer, options ...machineops.ProviderOption) *machineops.Provider {
	t.Helper()

	provider, err := machineops.NewProvider(cloudName, append([]machineops.ProviderOption{
		machineops.WithLongRunningOperation(v1alpha3.OperationHostReboot, c.begin, c.poll, machineops.WithCleanup(c.cleanup)),
	}, options...)...)
	if err != nil {
		t.Fatalf("NewProvider: %v", err)
	}

	return provider
}

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, arguments ...any)
}

func (c *cloud) runner(t failer, clk clock.WithTickerAndDelayedExecution, options ...machineops.ProviderOption) *lifecycle.Runner {
	t.Helper()

	return &lifecycle.Runner{Registration: c.register(t, options...), Auth: credentials, Clock: clk}
}

func credentials(context.Context) (*machineops.OperationAuth, error) {
	return &machineops.OperationAuth{Mode: "test", SecretData: map[string]string{"key": "value"}}, nil
}

// recorder notes each record among the cloud's events.
func (c *cloud) recorder(records *[]lifecycle.PendingOperation) lifecycle.Recorder {
	return lifecycle.RecorderFunc(func(_ context.Context, operation lifecycle.PendingOperation) error {
		*records = append(*records, operation)
		c.note("record "+string(operation.Stage), nil)

		return nil
	})
}

func reboot() machineops.OperationRequest {
	return machineops.OperationRequest{
		OperationName: "reboot", OperationUID: "op-1", Operation: v1alpha3.OperationHostReboot, ProviderID: machineID,
	}
}

func begun() machineops.BeginResult {
	return machineops.BeginResult{
		Operation: machineops.ProviderOperation{OperationID: "id-1", ResumeToken: "token-1"},
		Message:   "accepted",
	}
}

func succeeded() machineops.PollResult {
	return machineops.PollResult{
		State:  machineops.ProviderOperationStateSucceeded,
		Result: machineops.OperationResult{ProviderID: machineID, CleanupProviderID: "north.old"},
	}
}

func inProgress(after time.Duration) machineops.PollResult {
	return machineops.PollResult{
		State: machineops.ProviderOperationStateInProgress, Reason: v1alpha3.ReasonBooting, Message: "on its way", RequeueAfter: after,
	}
}

func permanent(reason, text string) error {
	return &machineops.PermanentError{Reason: reason, Err: errors.New(text)}
}

func wantFailed(t *testing.T, err error, reason string) *lifecycle.FailedError {
	t.Helper()

	var failed *lifecycle.FailedError
	if !errors.As(err, &failed) || failed.Reason != reason {
		t.Fatalf("error is %v, want a FailedError of reason %s", err, reason)
	}

	return failed
}

func wantUnfinished(t *testing.T, err, cause error) *lifecycle.UnfinishedError {
	t.Helper()

	var unfinished *lifecycle.UnfinishedError
	if !errors.As(err, &unfinished) || !errors.Is(unfinished.Cause, cause) {
		t.Fatalf("error is %v, want an UnfinishedError because of %v", err, cause)
	}

	return unfinished
}

func wantCounts(t *testing.T, c *cloud, want map[string]int) {
	t.Helper()

	for _, event := range slices.Sorted(maps.Keys(want)) {
		if got := c.count(event); got != want[event] {
			t.Errorf("%s was called %d times, want %d (%v)", event, got, want[event], c.happened())
		}
	}
}

// logOf returns a logger that sends on told for each record whose message holds
// text.
func logOf(text string, told chan<- struct{}) *slog.Logger {
	return slog.New(tellingHandler{text: text, told: told})
}

type tellingHandler struct {
	text string
	told chan<- struct{}
}

func (h tellingHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h tellingHandler) Handle(_ context.Context, record slog.Record) error {
	if strings.Contains(record.Message, h.text) {
		h.told <- struct{}{}
	}

	return nil
}

func (h tellingHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h tellingHandler) WithGroup(string) slog.Handler { return h }

func uidOf(text string) types.UID { return types.UID(text) }
