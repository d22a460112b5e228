package ecsemulator_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func addRule(t *testing.T, server *ecsemulator.Server, rule ecsemulator.Rule) ecsemulator.Rule {
	t.Helper()
	added, err := server.AddRule(rule)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// outcome is what became of a call in the background.
type outcome struct {
	reply
	err error
}

func (c *client) inBackground(action string, own values) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		answer, err := c.try(action, own)
		done <- outcome{answer, err}
	}()
	return done
}

func waitHold(t *testing.T, server *ecsemulator.Server, rule ecsemulator.Rule) ecsemulator.Hold {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	hold, err := server.WaitHold(ctx, rule.ID)
	if err != nil {
		t.Fatal(err)
	}
	return hold
}

func TestHoldStopsACallAtItsMoment(t *testing.T) {
	t.Parallel()
	for at, wantHeld := range map[ecsemulator.Moment]int{ecsemulator.MomentBefore: 0, ecsemulator.MomentDuring: 0, ecsemulator.MomentAfter: 1} {
		for _, how := range []ecsemulator.Outcome{ecsemulator.Proceed, ecsemulator.Drop} {
			t.Run(string(at)+" "+string(how), func(t *testing.T) {
				t.Parallel()
				server := still(t, ecsemulator.Options{})
				c := newClient(t, server)
				rule := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "RunInstances", At: at, Times: 1})
				done := c.inBackground("RunInstances", launch().with(values{"ClientToken": "t"}))
				hold := waitHold(t, server, rule)
				if hold.Action != "RunInstances" || hold.At != at {
					t.Errorf("hold %+v", hold)
				}
				if n := len(server.Instances()); n != wantHeld {
					t.Errorf("%d instances while held, want %d", n, wantHeld)
				}
				if n := server.Counts()["RunInstances"]; n != 1 {
					t.Errorf("counted %d", n)
				}
				if call := server.Calls()[0]; call.Done || call.ID != hold.CallID {
					t.Errorf("call %+v", call)
				}
				c.ok("DescribeInstances", nil)
				if err := server.Release(hold.ID, how); err != nil {
					t.Fatal(err)
				}
				got := <-done
				want := 1
				if how == ecsemulator.Drop {
					want = wantHeld
					if got.err == nil {
						t.Errorf("a dropped call was answered: %s", got.body)
					}
				} else if got.err != nil || got.status != 200 {
					t.Errorf("answered %v %d %s", got.err, got.status, got.body)
				}
				if n := len(server.Instances()); n != want {
					t.Errorf("%d instances afterwards, want %d", n, want)
				}
				c.run(values{"ClientToken": "t"})
				if n := len(server.Instances()); n != 1 {
					t.Errorf("%d instances after a repetition, want 1", n)
				}
			})
		}
	}
}

func TestHoldTakesTheNthCallThatMatches(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	rule := addRule(t, server, ecsemulator.Rule{
		Kind: ecsemulator.RuleHold, Action: "Run*", Parameters: map[string]string{"VSwitchId": "vsw-b"}, First: 2, Times: 1,
	})
	c.run(nil)
	c.run(values{"VSwitchId": "vsw-b"})
	done := c.inBackground("RunInstances", launch().with(values{"VSwitchId": "vsw-b"}))
	hold := waitHold(t, server, rule)
	c.run(values{"VSwitchId": "vsw-b"})
	if holds := server.Holds(); len(holds) != 1 || holds[0] != hold {
		t.Errorf("holds %+v", holds)
	}
	if err := server.RemoveRule(rule.ID); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.status != 200 {
		t.Errorf("after its rule is gone: %v %s", got.err, got.body)
	}
	if err := server.RemoveRule(rule.ID); !errors.Is(err, ecsemulator.ErrNotFound) {
		t.Errorf("remove again: %v", err)
	}
	if err := server.Release(hold.ID, ecsemulator.Proceed); !errors.Is(err, ecsemulator.ErrNotFound) {
		t.Errorf("release again: %v", err)
	}
	if err := server.Release(hold.ID, "maybe"); err == nil {
		t.Error("an unknown outcome was taken")
	}
}

func TestACallIsCarriedOutThoughItsClientHasGone(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	rule := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "RunInstances"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	target := "http://" + server.Endpoint() + "/?" + c.signed("POST", "RunInstances", launch()).Encode()
	go func() {
		_, err := send(ctx, "POST", target, "")
		done <- err
	}()
	hold := waitHold(t, server, rule)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("the client ended with %v", err)
	}
	if err := server.Release(hold.ID, ecsemulator.Proceed); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for len(server.Instances()) == 0 {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			t.Fatal("the call had no effect")
		}
	}
}

func TestATokenWhoseCallRunsIsProcessing(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "LastTokenProcessing"} {
		server := still(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{TokenProcessingCode: code}})
		c := newClient(t, server)
		rule := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "RunInstances", At: ecsemulator.MomentDuring, Times: 1})
		done := c.inBackground("RunInstances", launch().with(values{"ClientToken": "t"}))
		hold := waitHold(t, server, rule)
		if code == "" {
			code = "IdempotentProcessing"
		}
		c.refused("RunInstances", launch().with(values{"ClientToken": "t"}), code, 403)
		if err := server.Release(hold.ID, ecsemulator.Proceed); err != nil {
			t.Fatal(err)
		}
		first := <-done
		if again := c.run(values{"ClientToken": "t"}); first.status != 200 || again != first.text(t, "InstanceIdSets", "InstanceIdSet", 0) {
			t.Errorf("%s, then %s", first.body, again)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		rule      ecsemulator.Rule
		status    int // 0: no answer
		contains  string
		instances int
	}{
		"error before":     {ecsemulator.Rule{Kind: ecsemulator.RuleError, Code: "InternalError", HTTPStatus: 500}, 500, `"Code":"InternalError"`, 0},
		"error after":      {ecsemulator.Rule{Kind: ecsemulator.RuleError, Code: "ServiceUnavailable", HTTPStatus: 503, At: ecsemulator.MomentAfter}, 503, `"Code":"ServiceUnavailable"`, 1},
		"HTML before":      {ecsemulator.Rule{Kind: ecsemulator.RuleHTML}, 502, "<html>", 0},
		"HTML after":       {ecsemulator.Rule{Kind: ecsemulator.RuleHTML, At: ecsemulator.MomentAfter}, 502, "<html>", 1},
		"cut before":       {ecsemulator.Rule{Kind: ecsemulator.RuleCut}, 0, "", 0},
		"cut after":        {ecsemulator.Rule{Kind: ecsemulator.RuleCut, At: ecsemulator.MomentAfter}, 0, "", 1},
		"malformed":        {ecsemulator.Rule{Kind: ecsemulator.RuleMalformed, At: ecsemulator.MomentAfter}, 200, `{"Inst`, 1},
		"malformed error":  {ecsemulator.Rule{Kind: ecsemulator.RuleMalformed, Code: "x", HTTPStatus: 500}, 500, `"Code":500`, 0},
		"sold out":         {ecsemulator.Rule{Kind: ecsemulator.RuleSoldOut}, 403, `"Code":"OperationDenied.NoStock"`, 0},
		"denied":           {ecsemulator.Rule{Kind: ecsemulator.RuleDeny}, 403, `"AuthAction":"ecs:RunInstances"`, 0},
		"another action":   {ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "Delete*"}, 200, "InstanceIdSets", 1},
		"another region":   {ecsemulator.Rule{Kind: ecsemulator.RuleCut, RegionID: "cn-shanghai"}, 200, "InstanceIdSets", 1},
		"another key":      {ecsemulator.Rule{Kind: ecsemulator.RuleCut, AccessKeyID: "other"}, 200, "InstanceIdSets", 1},
		"another argument": {ecsemulator.Rule{Kind: ecsemulator.RuleCut, Parameters: map[string]string{"InstanceType": "ecs.c*"}}, 200, "InstanceIdSets", 1},
		"a later call":     {ecsemulator.Rule{Kind: ecsemulator.RuleCut, First: 2}, 200, "InstanceIdSets", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{row.rule}})
			answer, err := newClient(t, server).try("RunInstances", launch())
			switch {
			case row.status == 0 && err == nil:
				t.Errorf("answered %s", answer.body)
			case row.status != 0 && err != nil:
				t.Error(err)
			case answer.status != row.status || !strings.Contains(string(answer.body), row.contains):
				t.Errorf("answered %d %s, want %d with %s", answer.status, answer.body, row.status, row.contains)
			}
			if n := len(server.Instances()); n != row.instances {
				t.Errorf("%d instances, want %d", n, row.instances)
			}
			if call := server.Calls()[0]; call.Status != row.status || !call.Done {
				t.Errorf("call %+v", call)
			}
		})
	}
}

func TestDelayIsVirtual(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{{Kind: ecsemulator.RuleDelay, Seconds: 3600}}})
	c := newClient(t, server)
	done := c.inBackground("DescribeRegions", nil)
	for {
		select {
		case got := <-done:
			if got.status != 200 {
				t.Errorf("%v %s", got.err, got.body)
			}
			return
		default:
			step(t, server, time.Hour)
		}
	}
}

func TestThrottleCountsByTheMinute(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{{Kind: ecsemulator.RuleThrottle, Action: "Describe*", PerMinute: 2}}})
	c := newClient(t, server)
	for range 2 {
		c.ok("DescribeInstances", nil)
		c.ok("DescribeZones", nil)
		c.ok("DescribeInstances", values{"RegionId": "cn-shanghai"})
		c.refusedAfter("DescribeInstances", "Throttling.User", 400)
		step(t, server, time.Minute)
	}
}

func TestThrottleCanGiveAnotherCode(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{
		{Kind: ecsemulator.RuleThrottle, PerMinute: 1, Code: "Throttling.Resource", HTTPStatus: 429},
	}})
	c := newClient(t, server)
	c.run(nil)
	c.refused("RunInstances", launch(), "Throttling.Resource", 429)
}

// refusedAfter repeats a call that succeeds until it is refused, at most a few times.
func (c *client) refusedAfter(action, code string, status int) {
	c.t.Helper()
	for range 3 {
		if answer := c.call(action, nil); answer.status != 200 {
			if answer.Code != code || answer.status != status {
				c.t.Errorf("answered %d %s", answer.status, answer.body)
			}
			return
		}
	}
	c.t.Errorf("%s was never refused", action)
}

func TestDeniedReadIsEmptyOrForbidden(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(nil)
	rule := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleDeny})
	if got := c.status(id); got != "" {
		t.Errorf("listed as %s", got)
	}
	c.refused("DescribeInstances", values{"DryRun": "true"}, "Forbidden.RAM", 403)
	c.refused("DeleteInstance", values{"InstanceId": id}, "Forbidden.RAM", 403)
	c.ok("GetCallerIdentity", nil)
	if err := server.SetBehavior(ecsemulator.Behavior{DeniedDescribe: ecsemulator.DenialForbidden}); err != nil {
		t.Fatal(err)
	}
	c.refused("DescribeInstances", nil, "Forbidden.RAM", 403)
	if err := server.RemoveRule(rule.ID); err != nil {
		t.Fatal(err)
	}
	if c.status(id) == "" {
		t.Error("not listed with the permission back")
	}
	c.refused("DescribeInstances", values{"DryRun": "true"}, "DryRunOperation", 400)
}

func TestAnAcceptedLaunchCanBeWithdrawn(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Rules: []ecsemulator.Rule{{Kind: ecsemulator.RuleWithdraw, Seconds: 10, Times: 1}}})
	c := newClient(t, server)
	doomed, kept := c.run(nil), c.run(nil)
	step(t, server, 9*time.Second)
	if got := c.status(doomed); got != "Starting" {
		t.Errorf("%q before its time", got)
	}
	step(t, server, time.Second)
	if got := c.status(doomed); got != "" {
		t.Errorf("still %s", got)
	}
	if c.status(kept) == "" {
		t.Error("the other one is gone too")
	}
	journal := server.Journal()
	if last := journal[len(journal)-1]; last.Effect != "withdrawn" || last.InstanceID != doomed {
		t.Errorf("journal ends with %+v", last)
	}
}

func TestRulesThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	for name, rule := range map[string]ecsemulator.Rule{
		"no kind":              {},
		"unknown moment":       {Kind: ecsemulator.RuleHold, At: "later"},
		"error without a code": {Kind: ecsemulator.RuleError, HTTPStatus: 500},
		"error with 200":       {Kind: ecsemulator.RuleError, Code: "x", HTTPStatus: 200},
		"cut during":           {Kind: ecsemulator.RuleCut, At: ecsemulator.MomentDuring},
		"sold out after":       {Kind: ecsemulator.RuleSoldOut, At: ecsemulator.MomentAfter},
		"delay of nothing":     {Kind: ecsemulator.RuleDelay},
		"throttle to nothing":  {Kind: ecsemulator.RuleThrottle},
		"negative":             {Kind: ecsemulator.RuleHold, First: -1},
		"bad malformed error":  {Kind: ecsemulator.RuleMalformed, Code: "x"},
	} {
		if _, err := server.AddRule(rule); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	addRule(t, server, ecsemulator.Rule{ID: "mine", Kind: ecsemulator.RuleHold, Action: "None"})
	if _, err := server.AddRule(ecsemulator.Rule{ID: "mine", Kind: ecsemulator.RuleHold}); err == nil {
		t.Error("an id was taken twice")
	}
	if rules := server.RulesInForce(); len(rules) != 1 || rules[0].ID != "mine" {
		t.Errorf("in force: %+v", rules)
	}
}

func TestCloseEndsWhatIsHeld(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	rule := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleHold})
	done := c.inBackground("RunInstances", launch())
	waitHold(t, server, rule)
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if got := <-done; got.err == nil {
		t.Errorf("answered %s", got.body)
	}
	if _, err := server.WaitHold(t.Context(), "another"); err == nil {
		t.Error("a wait on a closed server succeeded")
	}
	if err := server.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
}

func TestTheContextEndsTheServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server, err := ecsemulator.Start(ctx, ecsemulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, server)
	c.ok("DescribeRegions", nil)
	cancel()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if answer, err := c.try("DescribeRegions", nil); err == nil {
		t.Errorf("answered %s", answer.body)
	}
}
