package ecs

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// unanswering is a network on which no call arrives.
type unanswering struct {
	err      error
	attempts atomic.Int64
}

func (u *unanswering) RoundTrip(*http.Request) (*http.Response, error) {
	u.attempts.Add(1)
	return nil, u.err
}

func dialed(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

// A host that is not there is told to the caller, who would otherwise wait for an
// answer to the deadline.
func TestAHostThatNeverAnsweredIsSoonReported(t *testing.T) {
	t.Parallel()
	const address = "ecs.example.test:8443"
	for name, test := range map[string]struct {
		err      error
		attempts int64
		want     string
	}{
		"nobody listens":        {dialed(errors.New("connect: connection refused")), 3, "no connection to https://" + address},
		"nobody knows the name": {dialed(&net.DNSError{Err: "no such host", Name: address, IsNotFound: true}), 2, "no such host"},
		"the resolver stumbles": {dialed(&net.DNSError{Err: "server misbehaving", Name: address, IsTemporary: true}), 3, "server misbehaving"},
		"nothing comes back":    {dialed(os.ErrDeadlineExceeded), 2, "i/o timeout"},
		"the proxy is not there": {
			&net.OpError{Op: "proxyconnect", Net: "tcp", Err: dialed(errors.New("connection refused"))}, 3, "no connection to the proxy that leads to https://" + address,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := &unanswering{err: test.err}
			client := clientOf(t, answering(t, nil), func(config *Config) {
				config.Transport, config.Protocol = network, ""
				config.Endpoints, config.EndpointOrigins = Endpoints{ECS: address}, Endpoints{ECS: "the environment variable ECS_ENDPOINT"}
			})
			_, err := client.Regions(soon(t))
			if ClassOf(err) != ClassUnreachable || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "the ECS endpoint that the environment variable ECS_ENDPOINT names") {
				t.Errorf("the error is %v", err)
			}
			if made := network.attempts.Load(); made != test.attempts {
				t.Errorf("%d attempts, want %d", made, test.attempts)
			}
			// Whoever comes next need not find it out again.
			if _, err := client.Regions(soon(t)); ClassOf(err) != ClassUnreachable || network.attempts.Load() != test.attempts+1 {
				t.Errorf("then %d attempts: %v", network.attempts.Load()-test.attempts, err)
			}
		})
	}
}

// A region that is misspelled has no endpoint whose name anybody knows.
func TestARegionThatNobodyKnowsIsToldApart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		region, endpoint string
		err              error
		want             bool
	}{
		"misspelled":             {"cn-hangzou", "", &net.DNSError{Err: "no such host", IsNotFound: true}, true},
		"of an endpoint":         {"cn-hangzou", "ecs.example.test", &net.DNSError{Err: "no such host", IsNotFound: true}, false},
		"known":                  {"cn-hangzhou", "", &net.DNSError{Err: "no such host", IsNotFound: true}, false},
		"a resolver that is off": {"cn-hangzou", "", &net.DNSError{Err: "server misbehaving", IsTemporary: true}, false},
		"a network that is off":  {"cn-hangzou", "", errors.New("network is unreachable"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := clientOf(t, answering(t, nil), func(config *Config) {
				config.Transport, config.Region = &unanswering{err: dialed(test.err)}, test.region
				config.Endpoints = Endpoints{ECS: test.endpoint}
			})
			_, err := client.Zones(soon(t), test.region)
			var failure *Error
			if !errors.As(err, &failure) || failure.Class != ClassUnreachable || failure.UnknownRegion != test.want {
				t.Errorf("the error is %v, and UnknownRegion is not %v", err, test.want)
			}
		})
	}
}

// stumbling is a network that breaks down for a while.
type stumbling struct {
	http.RoundTripper

	err  error
	left atomic.Int64
}

func (s *stumbling) RoundTrip(request *http.Request) (*http.Response, error) {
	if s.left.Add(-1) >= 0 {
		return nil, s.err
	}
	return s.RoundTripper.RoundTrip(request)
}

// What has answered before is there, whatever a resolver says of it for a while.
func TestAHostThatAnsweredIsTriedLonger(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	network := &stumbling{RoundTripper: http.DefaultTransport, err: dialed(&net.DNSError{Err: "no such host", IsNotFound: true})}
	client := clientOf(t, s, func(config *Config) { config.Transport = network })
	if _, err := client.Zones(soon(t), ""); err != nil {
		t.Fatal(err)
	}
	network.left.Store(5)
	if _, err := client.Zones(soon(t), ""); err != nil {
		t.Errorf("after 5 failures: %v", err)
	}
	network.left.Store(100)
	if _, err := client.Zones(soon(t), ""); ClassOf(err) != ClassTransient || network.left.Load() != 94 {
		t.Errorf("%d attempts, want 6 of a class that says that it may come back: %v", 100-network.left.Load(), err)
	}
}

// The page of a login portal, or of another server, is no answer of the API.
func TestWhatIsNotTheAPIIsNotAskedToTheDeadline(t *testing.T) {
	t.Parallel()
	var api atomic.Bool
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, number int) {
		if api.Load() && number != 5 {
			accept(w)
			return
		}
		_, _ = w.Write([]byte("<html>log in</html>"))
	})
	client := clientOf(t, s, func(config *Config) { config.EndpointOrigins.ECS = "alicloud.endpoints.ecs" })
	_, err := client.Zones(soon(t), "")
	if ClassOf(err) != ClassUnreachable || s.count("DescribeZones") != 3 || !strings.Contains(err.Error(), "the ECS endpoint that alicloud.endpoints.ecs names") {
		t.Errorf("%d attempts: %v", s.count("DescribeZones"), err)
	}
	api.Store(true)
	for range 2 {
		// The second meets such a page between two answers.
		if _, err := client.Zones(soon(t), ""); err != nil {
			t.Error(err)
		}
	}
	if count := s.count("DescribeZones"); count != 6 {
		t.Errorf("%d attempts in all, want 6", count)
	}
}

func TestAnEndpointIsNamedAsItsUserKnowsIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		endpoint, origin, region, want string
	}{
		"given, and known by what": {"ecs.example.test", "ECS_ENDPOINT", "cn-hangzhou", "https://ecs.example.test, the ECS endpoint that ECS_ENDPOINT names"},
		"given":                    {"http://ecs.example.test", "", "cn-hangzhou", "http://ecs.example.test, the ECS endpoint"},
		"the vendor's":             {"", "", "cn-hangzhou", "https://ecs-cn-hangzhou.aliyuncs.com, the ECS endpoint of the region cn-hangzhou"},
		"of a region that is none": {"", "", "cn-hangzouh", `https://ecs.cn-hangzouh.aliyuncs.com, as the ECS endpoint of "cn-hangzouh" would be named; it is no region that this version knows`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := New(Config{
				Region: test.region, Credentials: StaticCredentials(testKeyID, testKeySecret, ""), Endpoints: Endpoints{ECS: test.endpoint}, EndpointOrigins: Endpoints{ECS: test.origin},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			if got := client.toEndpoint(call{product: productECS, region: test.region}); got != test.want {
				t.Errorf("it is %q, want %q", got, test.want)
			}
		})
	}
}
