package ecs

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"
)

// cancelingClock ends the context as soon as somebody waits.
type cancelingClock struct {
	*skippingClock
	cancel context.CancelFunc
}

func (c cancelingClock) NewTimer(d time.Duration) clock.Timer {
	c.cancel()
	return c.RealClock.NewTimer(d)
}

func TestALaunchOfUnknownOutcomeIsRepeatedWithTheSameToken(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(w http.ResponseWriter){
		"internal error":        func(w http.ResponseWriter) { refuse(w, 500, "InternalError", "try again") },
		"unavailable":           func(w http.ResponseWriter) { refuse(w, 503, "ServiceUnavailable", "try again") },
		"page of a balancer":    func(w http.ResponseWriter) { w.WriteHeader(502) },
		"connection cut":        func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"names no instance":     func(w http.ResponseWriter) { accept(w) },
		"still processing":      func(w http.ResponseWriter) { refuse(w, 400, "IdempotentProcessing", "running") },
		"last token processing": func(w http.ResponseWriter) { refuse(w, 403, "LastTokenProcessing", "running") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
				if number <= 2 {
					first(w)
					return
				}
				launched(w, "i-1")
			})
			output, err := clientOf(t, s).RunInstances(soon(t), launchInput())
			if err != nil || len(output.InstanceIDs) != 1 || output.InstanceIDs[0] != "i-1" {
				t.Fatalf("%+v %v", output, err)
			}
			if output.Attempts != 3 || output.LostAnswers != 2 {
				t.Errorf("attempts %d, lost %d", output.Attempts, output.LostAnswers)
			}
			requests := s.of("RunInstances")
			for _, request := range requests[1:] {
				for _, fresh := range []string{"SignatureNonce", "Signature"} {
					if request.query.Get(fresh) == requests[0].query.Get(fresh) {
						t.Errorf("%s is repeated", fresh)
					}
				}
				for name := range requests[0].query {
					if name != "SignatureNonce" && name != "Signature" && name != "Timestamp" && request.query.Get(name) != requests[0].query.Get(name) {
						t.Errorf("%s changed to %q", name, request.query.Get(name))
					}
				}
			}
		})
	}
}

func TestADefiniteRefusalOfALaunchIsReturnedAtOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		code   string
		class  Class
	}{
		"no stock":                   {403, "OperationDenied.NoStock", ClassCapacity},
		"no stock with a 5xx status": {500, "OperationDenied.NoStock", ClassCapacity},
		"mismatch":                   {400, "IdempotentParameterMismatch", ClassTokenMismatch},
		"burned":                     {400, "IdempotentFailed", ClassTokenBurned},
		"image":                      {404, "InvalidImageId.NotFound", ClassConfiguration},
		"permission":                 {403, "Forbidden.RAM", ClassPermission},
		"quota":                      {400, "QuotaExceed.AfterpayInstance", ClassQuota},
		"vSwitch state":              {400, "IncorrectVSwitchStatus", ClassConflict},
		"bad key":                    {404, "InvalidAccessKeyId.NotFound", ClassCredentials},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { refuse(w, test.status, test.code, "no") })
			_, err := clientOf(t, s).RunInstances(soon(t), launchInput())
			var failure *Error
			if !errors.As(err, &failure) {
				t.Fatal(err)
			}
			if failure.Class != test.class || failure.Code != test.code || failure.Status != test.status || failure.Ambiguous ||
				failure.RequestID != "req-"+test.code || failure.Action != "RunInstances" || failure.Region != testRegion {
				t.Errorf("%+v", failure)
			}
			if count := s.count("RunInstances"); count != 1 {
				t.Errorf("%d calls", count)
			}
		})
	}
}

func TestARefusalAfterALostAnswerStaysAmbiguous(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
		if number == 1 {
			panic(http.ErrAbortHandler)
		}
		refuse(w, 403, "Forbidden.RAM", "no")
	})
	output, err := clientOf(t, s).RunInstances(soon(t), launchInput())
	var failure *Error
	if !errors.As(err, &failure) || !failure.Ambiguous || failure.Class != ClassPermission || output.LostAnswers != 1 {
		t.Errorf("%+v %+v", output, err)
	}
}

func TestThrottlingWaitsForTheNextMinute(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
		if number <= 2 {
			refuse(w, 400, "Throttling.User", "slow down")
			return
		}
		accept(w)
	})
	skipping := newSkippingClock()
	client := clientOf(t, s, func(config *Config) { config.Clock = skipping })
	if _, err := client.Zones(soon(t), ""); err != nil {
		t.Fatal(err)
	}
	// The clock begins at second 42; half of the spread is 1.5 s. A probe that is
	// refused so early in the minute is not the end of it: the clocks may differ.
	want := []time.Duration{18*time.Second + 1500*time.Millisecond, firstProbePause}
	got := skipping.waited()
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("waited %v, want %v", got, want)
	}
	if got := s.count("DescribeZones"); got != 3 {
		t.Errorf("%d calls", got)
	}
}

func TestBackoffIsFullJitterUpToABound(t *testing.T) {
	t.Parallel()
	s := answering(t, func(http.ResponseWriter, *http.Request, string, int) {})
	random := 0.0
	client := clientOf(t, s, func(config *Config) { config.Random = func() float64 { return random } })
	failure := &Error{Class: ClassTransient}
	for attempt := range 12 {
		random = 0
		if low := client.delay(failure, attempt+1); low != shortestBackoff {
			t.Errorf("attempt %d: at least %s", attempt+1, low)
		}
		random = 1
		if high, want := client.delay(failure, attempt+1), min(longestBackoff, firstBackoff<<attempt); high != want {
			t.Errorf("attempt %d: at most %s, want %s", attempt+1, high, want)
		}
	}
}

func TestTheEndOfTheDeadlineReportsTheLastRealError(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		refuse(w, 503, "ServiceUnavailable", "maintenance")
	})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	client := clientOf(t, s, func(config *Config) { config.Clock = clock.RealClock{} })
	_, err := client.Zones(ctx, "")
	var failure *Error
	if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &failure) || failure.Code != "ServiceUnavailable" {
		t.Fatalf("%v", err)
	}
	for _, part := range []string{"gave up after", "attempt", "DescribeZones in cn-hangzhou", "ServiceUnavailable", "maintenance", "req-ServiceUnavailable"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
	if ClassOf(err) != ClassTransient {
		t.Errorf("class %q", ClassOf(err))
	}
}

func TestAHungReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 8)
	s := answering(t, func(_ http.ResponseWriter, r *http.Request, _ string, _ int) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	client := clientOf(t, s)
	for name, read := range map[string]func(ctx context.Context) error{
		"zones": func(ctx context.Context) error { _, err := client.Zones(ctx, ""); return err },
		"by ID": func(ctx context.Context) error { _, err := client.InstancesByID(ctx, "", []string{"i-1"}); return err },
		"by tags": func(ctx context.Context) error {
			_, err := client.InstancesByTags(ctx, "", map[string]string{"a": "b"})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(soon(t))
		ended := make(chan error, 1)
		go func() { ended <- read(ctx) }()
		<-arrived
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted before an answer") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(8 * time.Second): // less than the call's own timeout
			t.Errorf("%s outlives its context", name)
		}
	}
}

func TestAnActionsOwnTimeoutIsNotTheCallersDeadline(t *testing.T) {
	t.Parallel()
	k := call{action: "RunInstances", region: testRegion, mutates: true}
	expired, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	failure := k.unanswered(context.Background(), expired, "https://ecs.test", context.DeadlineExceeded, newScrubber())
	if errors.Is(failure, context.DeadlineExceeded) || failure.Class != ClassTransient || !failure.Ambiguous || !strings.Contains(failure.Error(), "12s") {
		t.Errorf("%+v", failure)
	}
}

func TestALaunchOnTheWireIsAwaitedAfterCancellation(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		close(arrived)
		<-release
		launched(w, "i-1")
	})
	ctx, cancel := context.WithCancel(soon(t))
	client := clientOf(t, s)
	type result struct {
		output RunInstancesOutput
		err    error
	}
	ended := make(chan result, 1)
	go func() {
		output, err := client.RunInstances(ctx, launchInput())
		ended <- result{output, err}
	}()
	<-arrived
	cancel()
	close(release)
	if got := <-ended; got.err != nil || len(got.output.InstanceIDs) != 1 {
		t.Errorf("what was learned is lost: %+v", got)
	}
}

func TestNoChangeBeginsAfterCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(soon(t))
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		cancel()
		refuse(w, 500, "InternalError", "lost")
	})
	client := clientOf(t, s)
	_, err := client.RunInstances(ctx, launchInput())
	var failure *Error
	if !errors.Is(err, context.Canceled) || !errors.As(err, &failure) || !failure.Ambiguous {
		t.Errorf("%v", err)
	}
	if !strings.Contains(err.Error(), "stopped after 1 attempt ") {
		t.Errorf("%v", err)
	}
	for name, change := range map[string]func() error{
		"run":    func() error { _, err := client.RunInstances(ctx, launchInput()); return err },
		"delete": func() error { return client.DeleteInstances(ctx, "", []string{"i-1"}) },
		"start":  func() error { return client.StartInstances(ctx, "", []string{"i-1"}) },
		"stop":   func() error { return client.StopInstances(ctx, "", []string{"i-1"}, StopOptions{}) },
		"tag":    func() error { return client.TagInstances(ctx, "", []string{"i-1"}, map[string]string{"a": "b"}) },
		"untag":  func() error { return client.UntagInstances(ctx, "", []string{"i-1"}, []string{"a"}) },
	} {
		if err := change(); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "not begun") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if total := len(s.of("RunInstances")); total != 1 || len(s.requests) != 1 {
		t.Errorf("%d requests, want the first launch only", len(s.requests))
	}
}

func TestNoChangeBeginsWhenCanceledWhileCredentialsAreFetched(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { launched(w, "i-1") })
	ctx, cancel := context.WithCancel(soon(t))
	slow := credentialsFunc(func(context.Context) (CredentialValue, error) {
		cancel()
		return CredentialValue{AccessKeyID: testKeyID, AccessKeySecret: testKeySecret}, nil
	})
	_, err := clientOf(t, s, func(config *Config) { config.Credentials = slow }).RunInstances(ctx, launchInput())
	if !errors.Is(err, context.Canceled) || s.count("RunInstances") != 0 {
		t.Errorf("%d calls: %v", s.count("RunInstances"), err)
	}
}

func TestAnExpiredTokenIsRefreshedOnce(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
		if r.URL.Query().Get("SecurityToken") == "new-token" {
			accept(w)
			return
		}
		refuse(w, 400, "InvalidSecurityToken.Expired", "expired")
	})
	tokens := []string{"old-token", "new-token"}
	refreshing := credentialsFunc(func(context.Context) (CredentialValue, error) {
		value := CredentialValue{AccessKeyID: testKeyID, AccessKeySecret: testKeySecret, SecurityToken: tokens[0]}
		if len(tokens) > 1 {
			tokens = tokens[1:]
		}
		return value, nil
	})
	if _, err := clientOf(t, s, func(config *Config) { config.Credentials = refreshing }).Zones(soon(t), ""); err != nil {
		t.Error(err)
	}
	_, err := clientOf(t, s).Zones(soon(t), "")
	if ClassOf(err) != ClassCredentials || s.count("DescribeZones") != 4 {
		t.Errorf("%d calls: %v", s.count("DescribeZones"), err)
	}
}

func TestAConnectionRefusedIsNotAmbiguous(t *testing.T) {
	t.Parallel()
	s := answering(t, func(http.ResponseWriter, *http.Request, string, int) {})
	s.Close()
	ctx, cancel := context.WithCancel(soon(t))
	client := clientOf(t, s, func(config *Config) { config.Clock = cancelingClock{newSkippingClock(), cancel} })
	_, err := client.RunInstances(ctx, launchInput())
	var failure *Error
	if !errors.As(err, &failure) || failure.Ambiguous || failure.Class != ClassTransient {
		t.Errorf("%+v", err)
	}
}
