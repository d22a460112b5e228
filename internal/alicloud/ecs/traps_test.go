package ecs

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// The names of these tests follow the traps of the API and its SDK.

func TestTrapOneClientIsSafeForManyGoroutines(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, action string, _ int) {
		if action == "DescribeInstances" {
			listed(w, r)
			return
		}
		accept(w)
	})
	client := clientOf(t, s)
	var group sync.WaitGroup
	for number := range 40 {
		group.Go(func() {
			id := fmt.Sprintf("i-%d", number)
			found, err := client.InstancesByID(soon(t), "", []string{id})
			if err != nil || found[id].ID != id {
				t.Errorf("%s: %v %v", id, found, err)
			}
			if err := client.TagInstances(soon(t), "", []string{id}, map[string]string{"k": id}); err != nil {
				t.Error(err)
			}
			if _, err := client.Zones(soon(t), ""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, request := range s.of("TagResources") {
		if request.query.Get("ResourceId.1") != request.query.Get("Tag.1.Value") {
			t.Errorf("parameters of two calls are mixed: %v", request.query)
		}
	}
}

// deadlines remembers how long each action may take.
type deadlines struct {
	mutex sync.Mutex
	left  map[string]time.Duration
}

func (d *deadlines) RoundTrip(request *http.Request) (*http.Response, error) {
	deadline, bounded := request.Context().Deadline()
	if !bounded {
		return nil, errors.New("the request has no deadline")
	}
	d.mutex.Lock()
	d.left[request.URL.Query().Get("Action")] = time.Until(deadline)
	d.mutex.Unlock()
	return http.DefaultTransport.RoundTrip(request)
}

func TestTrapTheTimeoutOfOneActionDoesNotStickToTheNext(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request, action string, _ int) {
		switch action {
		case "DescribeInstances":
			listed(w, r)
		case "RunInstances":
			launched(w, "i-1")
		default:
			accept(w)
		}
	})
	seen := &deadlines{left: map[string]time.Duration{}}
	client := clientOf(t, s, func(config *Config) { config.Transport = seen })
	ctx := context.Background()
	if _, err := client.InstancesByID(ctx, "", []string{"i-1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.RunInstances(ctx, launchInput()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Zones(ctx, ""); err != nil {
		t.Fatal(err)
	}
	for action, want := range map[string]time.Duration{
		"DescribeInstances": 10 * time.Second, "RunInstances": 12 * time.Second, "DescribeZones": 103 * time.Second,
	} {
		// Far less than the distance to any other action's, far more than a slow machine.
		if left := seen.left[action]; left > want || left < want-1500*time.Millisecond {
			t.Errorf("%s may take %s, want %s", action, left, want)
		}
	}
}

func TestTrapHTTPSIsTheDefault(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	plain := clientOf(t, s, func(config *Config) { config.Protocol = "" })
	_, err := plain.Zones(soon(t), "")
	if ClassOf(err) != ClassUnreachable || !strings.Contains(err.Error(), "protocol") {
		t.Errorf("https against a plain server: %v", err)
	}
	if count := s.count("DescribeZones"); count != 0 {
		t.Errorf("%d requests travelled in the clear", count)
	}

	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { accept(w) }))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // a refused handshake is what it would tell
	secure.StartTLS()
	defer secure.Close()
	trusting := clientOf(t, s, func(config *Config) {
		config.Protocol, config.Transport = "", secure.Client().Transport
		config.Endpoints.ECS = strings.TrimPrefix(secure.URL, "https://")
	})
	if _, err := trusting.Zones(soon(t), ""); err != nil {
		t.Errorf("https: %v", err)
	}
	distrusting := clientOf(t, s, func(config *Config) { config.Endpoints.ECS = secure.URL })
	if _, err := distrusting.Zones(soon(t), ""); ClassOf(err) != ClassUnreachable {
		t.Errorf("an unknown certificate must end the call at once: %v", err)
	}
}

func TestTrapErrorsCarryNoSecrets(t *testing.T) {
	t.Parallel()
	const userData = "#!/bin/sh\necho marker-of-user-data"
	encoded := base64.StdEncoding.EncodeToString([]byte(userData))
	secrets := []string{userData, "marker-of-user-data", encoded, url.QueryEscape(encoded), url.QueryEscape(url.QueryEscape(encoded))}
	echo := func(r *http.Request) string { return r.Method + "&%2F&" + url.QueryEscape(r.URL.RawQuery) }
	for name, respond := range map[string]func(w http.ResponseWriter, r *http.Request){
		"connection cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"string to sign echoed": func(w http.ResponseWriter, r *http.Request) {
			refuse(w, 400, "SignatureDoesNotMatch", "Specified signature is not matched. server string to sign is:"+echo(r))
		},
		"query echoed": func(w http.ResponseWriter, r *http.Request) {
			refuse(w, 400, "InvalidParameter", "cannot parse "+r.URL.String())
		},
		"escaped query echoed": func(w http.ResponseWriter, r *http.Request) {
			refuse(w, 400, "InvalidParameter", "cannot parse "+echo(r))
		},
		"user data echoed": func(w http.ResponseWriter, r *http.Request) {
			refuse(w, 400, "InvalidUserData.NotSupported", fmt.Sprintf("line 'echo marker-of-user-data' of user data %s (%s) is bad", r.URL.Query().Get("UserData"), userData))
		},
		"page of a proxy": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(w, "<html>not allowed: %s</html>", r.URL)
		},
		"answer that does not decode": func(w http.ResponseWriter, r *http.Request) {
			reply(w, 200, map[string]any{"RequestId": "r", "InstanceIdSets": r.URL.String()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, r *http.Request, _ string, _ int) { respond(w, r) })
			input := launchInput()
			input.UserData = userData
			ctx, cancel := context.WithCancel(soon(t))
			// The clock skips waits: a retried failure would go on to the deadline.
			client := clientOf(t, s, func(config *Config) { config.Clock = cancelingClock{newSkippingClock(), cancel} })
			_, err := client.RunInstances(ctx, input)
			if err == nil {
				t.Fatal("no error")
			}
			var failure *Error
			if !errors.As(err, &failure) {
				t.Fatalf("%v is no Error", err)
			}
			signature := s.of("RunInstances")[0].query.Get("Signature")
			all := fmt.Sprintf("%v %+v %#v %s", err, *failure, *failure, failure.Recommend)
			assertNoSecret(t, all, append(secrets, signature, url.QueryEscape(signature))...)
		})
	}
}

func TestTrapMalformedAnswersDoNotPanic(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		class  Class
		code   string
	}{
		"number as code":         {400, `{"Code": 403, "Message": 5, "RequestId": 7}`, ClassConfiguration, "403"},
		"object as message":      {403, `{"Code": "Forbidden.RAM", "Message": {"a": 1}, "RequestId": "r"}`, ClassPermission, "Forbidden.RAM"},
		"text as denial detail":  {403, `{"Code": "Forbidden.RAM", "AccessDeniedDetail": "no"}`, ClassPermission, "Forbidden.RAM"},
		"array":                  {400, `[1,2]`, ClassUnreachable, ""},
		"null":                   {400, `null`, ClassUnreachable, ""},
		"nothing":                {400, ``, ClassUnreachable, ""},
		"page of a balancer":     {502, `<html>Bad Gateway</html>`, ClassTransient, ""},
		"half an answer":         {200, `{"RequestId": "r", "Zones": {"Zone": [`, ClassTransient, ""},
		"answer without ID":      {200, `{}`, ClassTransient, ""},
		"page of a portal":       {200, `<html>log in</html>`, ClassTransient, ""},
		"text instead of object": {200, `{"RequestId": "r", "Zones": {"Zone": "none"}}`, ClassTransient, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			})
			ctx, cancel := context.WithCancel(soon(t))
			client := clientOf(t, s, func(config *Config) { config.Clock = cancelingClock{newSkippingClock(), cancel} })
			_, err := client.Zones(ctx, "")
			var failure *Error
			if !errors.As(err, &failure) {
				t.Fatalf("%v is no Error", err)
			}
			if failure.Class != test.class || failure.Code != test.code || failure.Status != test.status {
				t.Errorf("class %q code %q status %d: %v", failure.Class, failure.Code, failure.Status, err)
			}
		})
	}
}

// panicking is a transport that fails as the SDK's reading of a broken answer did.
type panicking struct{}

func (panicking) RoundTrip(request *http.Request) (*http.Response, error) {
	panic("cannot handle " + request.URL.String())
}

func TestTrapAPanicUnderACallIsItsErrorAndShowsNoSecret(t *testing.T) {
	t.Parallel()
	s := answering(t, func(http.ResponseWriter, *http.Request, string, int) {})
	client := clientOf(t, s, func(config *Config) { config.Transport = panicking{} })
	input := launchInput()
	input.UserData = "marker-of-user-data"
	_, err := client.RunInstances(soon(t), input)
	var failure *Error
	if !errors.As(err, &failure) || !failure.Ambiguous {
		t.Fatalf("%v must be an Error that leaves the outcome open", err)
	}
	assertNoSecret(t, err.Error(), "marker-of-user-data", base64.StdEncoding.EncodeToString([]byte(input.UserData)))
}

func TestTrapNoRequestKeepsParametersOfAnother(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	client := clientOf(t, s)
	if err := client.TagInstances(soon(t), "", []string{"i-1", "i-2"}, map[string]string{"a": "1", "b": "2"}); err != nil {
		t.Fatal(err)
	}
	if err := client.TagInstances(soon(t), "", []string{"i-3"}, map[string]string{"c": "3"}); err != nil {
		t.Fatal(err)
	}
	second := s.of("TagResources")[1].query
	if second.Has("ResourceId.2") || second.Has("Tag.2.Key") || second.Get("ResourceId.1") != "i-3" {
		t.Errorf("the second request kept parameters: %v", second)
	}
}

func TestTrapAnEmptyListIsToldFromAMissingPermission(t *testing.T) {
	t.Parallel()
	permitted := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		refuse(w, 400, "DryRunOperation", "Request validation has been passed with DryRun flag set.")
	})
	if err := clientOf(t, permitted).ProveListPermission(soon(t), ""); err != nil {
		t.Errorf("permitted: %v", err)
	}
	denied := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 403, map[string]any{"RequestId": "r", "Code": "Forbidden.RAM", "Message": "User not authorized.", "AccessDeniedDetail": map[string]any{"AuthAction": "ecs:DescribeInstances"}})
	})
	err := clientOf(t, denied).ProveListPermission(soon(t), "")
	if ClassOf(err) != ClassPermission || !strings.Contains(err.Error(), "ecs:DescribeInstances") {
		t.Errorf("denied: %v", err)
	}
	deaf := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	if err := clientOf(t, deaf).ProveListPermission(soon(t), ""); err == nil {
		t.Error("a server that overlooks the dry run proves nothing")
	}
}

func TestTrapACheckThatLaunchesIsTold(t *testing.T) {
	t.Parallel()
	deaf := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 200, map[string]any{"RequestId": "r", "InstanceIdSets": map[string]any{"InstanceIdSet": []any{"i-unwanted"}}})
	})
	err := clientOf(t, deaf).CheckLaunch(soon(t), RunInstancesInput{
		InstanceType: "ecs.g7.large", ImageID: "m-1", VSwitchID: "vsw-1", SecurityGroupIDs: []string{"sg-1"},
	})
	if err == nil || !strings.Contains(err.Error(), "i-unwanted") {
		t.Errorf("a server that overlooks the dry run has launched something: %v", err)
	}
}

func TestTrapASpotInstanceIsToldByItsStrategyAlone(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) {
		reply(w, 200, map[string]any{"RequestId": "r", "TotalCount": 1, "Instances": map[string]any{"Instance": []any{map[string]any{
			"InstanceId": "i-1", "InstanceChargeType": "PostPaid", "SpotStrategy": "SpotAsPriceGo",
			"CreationTime": "2026-11-29T10:04Z", "ExpiredTime": "2099-12-31T15:59Z",
			"Tags":           map[string]any{"Tag": []any{map[string]any{"TagKey": "k", "TagValue": "v"}}},
			"OperationLocks": map[string]any{"LockReason": []any{map[string]any{"LockReason": "Recycling"}}},
			"EipAddress":     map[string]any{"IpAddress": "8.8.4.4"},
		}}}})
	})
	found, err := clientOf(t, s).InstancesByID(soon(t), "", []string{"i-1"})
	if err != nil {
		t.Fatal(err)
	}
	got := found["i-1"]
	if got.ChargeType != "PostPaid" || got.SpotStrategy != "SpotAsPriceGo" || got.Region != testRegion || got.Tags["k"] != "v" ||
		len(got.LockReasons) != 1 || len(got.PublicIPs) != 1 || !got.ExpiresAt.IsZero() ||
		!got.CreatedAt.Equal(time.Date(2026, 11, 29, 10, 4, 0, 0, time.UTC)) {
		t.Errorf("decoded %+v", got)
	}
}

func TestTrapThrottledChangesOfATypeWaitFiveMinutes(t *testing.T) {
	t.Parallel()
	s := answering(t, func(http.ResponseWriter, *http.Request, string, int) {})
	client := clientOf(t, s)
	for _, action := range []string{"ModifyInstanceSpec", "ModifyPrepayInstanceSpec"} {
		failure := &Error{Action: action, Code: "Throttling", Class: ClassThrottled}
		if delay := client.delay(failure, 1); delay < 5*time.Minute || delay > 6*time.Minute {
			t.Errorf("%s waits %s", action, delay)
		}
	}
	if delay := client.delay(&Error{Action: "DescribeInstances", Code: "Throttling", Class: ClassThrottled}, 1); delay > time.Minute+throttleSpread {
		t.Errorf("other actions wait %s", delay)
	}
}
