package credentials_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/credentials"
	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// deployer are credentials of the role, by the clock.
func (c *cloud) deployer(t *testing.T, clock *testclock.FakePassiveClock) ecs.Credentials {
	t.Helper()
	options := c.options(map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": eveID, "ALIBABA_CLOUD_ACCESS_KEY_SECRET": eveSecret})
	options.Roles = []credentials.Role{{ARN: deployerARN, Seconds: 900}}
	options.Clock = clock
	found, err := credentials.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOneSessionServesAllAndIsRenewedBeforeItEnds(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	clock := testclock.NewFakePassiveClock(time.Now())
	client := c.client(t, c.deployer(t, clock))
	use := func() {
		t.Helper()
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				if _, err := client.CallerIdentity(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	for _, step := range []struct {
		later time.Duration
		want  int
	}{{0, 1}, {11 * time.Minute, 1}, {2 * time.Minute, 2}} {
		clock.SetTime(clock.Now().Add(step.later))
		use()
		if got := c.Counts()["AssumeRole"]; got != step.want {
			t.Errorf("%d sessions, want %d", got, step.want)
		}
	}
}

// The API's word that a token has ended counts more than the clock.
func TestATokenThatTheAPITakesForExpiredIsRenewed(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	found := c.deployer(t, testclock.NewFakePassiveClock(time.Now()))
	client := c.client(t, found)
	if _, err := client.CallerIdentity(t.Context()); err != nil {
		t.Fatal(err)
	}
	value, err := found.Credentials(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ExpireAccessKey(value.AccessKeyID); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CallerIdentity(t.Context()); err != nil {
		t.Error(err)
	}
	if got := c.Counts()["AssumeRole"]; got != 2 {
		t.Errorf("%d sessions, want 2", got)
	}
}

// While a session holds, it does not matter that no other can be had; and who
// cannot renew does not ask for every call.
func TestASessionThatCannotBeRenewedServesToItsEnd(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	clock := testclock.NewFakePassiveClock(time.Now())
	client := c.client(t, c.deployer(t, clock))
	if _, err := client.CallerIdentity(t.Context()); err != nil {
		t.Fatal(err)
	}
	rule, err := c.AddRule(ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "AssumeRole", Code: "NoPermission", HTTPStatus: 403})
	if err != nil {
		t.Fatal(err)
	}
	clock.SetTime(clock.Now().Add(13 * time.Minute))
	for range 5 {
		if _, err := client.CallerIdentity(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if got := c.Counts()["AssumeRole"]; got != 2 {
		t.Errorf("%d calls, want the first and one renewal", got)
	}
	clock.SetTime(clock.Now().Add(3 * time.Minute))
	_, err = client.CallerIdentity(t.Context())
	wantRefusal(t, err, "NoPermission", "deployer")
	if err := c.RemoveRule(rule.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CallerIdentity(t.Context()); err != nil {
		t.Error(err)
	}
}

// A source that failed once is asked again, and no other in its place.
func TestASourceThatFailedIsAskedAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"Code":"Success","AccessKeyId":"` + eveID + `","AccessKeySecret":"` + eveSecret + `"}`))
	}))
	t.Cleanup(server.Close)
	c := newCloud(t)
	options := c.options(nil)
	options.URI = server.URL
	found, err := credentials.New(options)
	if err != nil {
		t.Fatal(err)
	}
	client := c.client(t, found)
	if _, err := client.CallerIdentity(t.Context()); err == nil {
		t.Error("no error")
	}
	if identity, err := client.CallerIdentity(t.Context()); err != nil || identity.ARN != eveARN {
		t.Errorf("%v %v", identity, err)
	}
}

func TestATokenFileIsReadAtEveryRenewal(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	clock := testclock.NewFakePassiveClock(time.Now())
	file := c.write(t, "a token that is not known", "token")
	options := c.options(nil)
	options.Clock = clock
	options.OIDC = &credentials.OIDCRole{Role: credentials.Role{ARN: podARN}, ProviderARN: providerARN, TokenFile: file}
	found, err := credentials.New(options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := found.Credentials(t.Context()); err == nil {
		t.Error("no error")
	}
	if err := os.WriteFile(file, []byte(podToken), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := found.Credentials(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestALoginIsReadAgainWhenItHasEnded(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	login := func(ends time.Time) {
		c.profiles(t, "sso", map[string]any{
			"name": "sso", "mode": "OAuth", "access_key_id": eveID, "access_key_secret": eveSecret, "sts_token": podToken, "sts_expiration": ends.Unix(),
		})
	}
	clock := testclock.NewFakePassiveClock(time.Now())
	login(clock.Now().Add(-time.Minute))
	options := c.options(nil)
	options.Clock = clock
	found, err := credentials.New(options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = found.Credentials(t.Context())
	wantRefusal(t, err, "login has ended", "log in again")
	login(clock.Now().Add(time.Hour))
	if value, err := found.Credentials(t.Context()); err != nil || value.AccessKeyID != eveID {
		t.Error(err)
	}
}

// Who waits for another's renewal ends with their own context.
func TestAWaitForARenewalEndsWithItsContext(t *testing.T) {
	t.Parallel()
	arrived, hold := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-hold
		_, _ = w.Write([]byte(`{"AccessKeyId":"` + eveID + `","AccessKeySecret":"` + eveSecret + `"}`))
	}))
	t.Cleanup(server.Close)
	c := newCloud(t)
	options := c.options(nil)
	options.URI = server.URL
	found, err := credentials.New(options)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := found.Credentials(t.Context()); err != nil {
			t.Error(err)
		}
	})
	<-arrived
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := found.Credentials(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(hold)
	group.Wait()
}
