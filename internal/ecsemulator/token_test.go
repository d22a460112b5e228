package ecsemulator_test

import (
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Source: the page "How to ensure idempotence"; what it leaves open is a switch.
func TestClientTokenLaunchesOnce(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	first := c.run(values{"ClientToken": "t"})
	if again := c.run(values{"ClientToken": "t"}); again != first {
		t.Errorf("the same token launched %s after %s", again, first)
	}
	c.refused("RunInstances", launch().with(values{"ClientToken": "t", "InstanceName": "other"}), "IdempotentParameterMismatch", 400)
	if other := c.run(values{"ClientToken": "T"}); other == first {
		t.Error("tokens are not case-sensitive")
	}
	c.refused("RunInstances", launch().with(values{"ClientToken": "dry", "DryRun": "true"}), "DryRunOperation", 400)
	c.run(values{"ClientToken": "dry"})
	shanghai := newClient(t, server)
	shanghai.region = "cn-shanghai"
	shanghai.run(values{"ClientToken": "t", "VSwitchId": "vsw-uf6a1b2c3d4e5f6g7h8i9", "SecurityGroupId": "sg-uf6a1b2c3d4e5f6g7h8i9"})
	if n := len(server.Instances()); n != 4 {
		t.Errorf("%d instances, want 4", n)
	}
}

func TestClientTokenSwitches(t *testing.T) {
	t.Parallel()
	soldOut := func(s *ecsemulator.Server) { _ = s.SetStock(ecsemulator.Stock{StatusCategory: "WithoutStock"}) }
	inStock := func(s *ecsemulator.Server) { _ = s.SetStock(ecsemulator.Stock{StatusCategory: "WithStock"}) }
	for name, row := range map[string]struct {
		behavior ecsemulator.Behavior
		first    values
		between  func(*ecsemulator.Server)
		code     string
	}{
		"no stock burns":                           {first: values{}, between: inStock, code: "OperationDenied.NoStock"},
		"no stock does not burn":                   {behavior: ecsemulator.Behavior{TokenBurn: ecsemulator.BurnNever}, first: values{}, between: inStock},
		"any 4xx burns":                            {behavior: ecsemulator.Behavior{TokenBurn: ecsemulator.BurnAlways}, first: values{}, between: inStock, code: "IdempotentFailed"},
		"no stock burns, but not other parameters": {first: values{"ImageId": "m-none"}, between: inStock, code: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{Behavior: row.behavior})
			c := newClient(t, server)
			soldOut(server)
			if answer := c.call("RunInstances", launch().with(row.first).with(values{"ClientToken": "t"})); answer.status < 400 {
				t.Fatalf("launched: %s", answer.body)
			}
			row.between(server)
			answer := c.call("RunInstances", launch().with(values{"ClientToken": "t"}))
			if answer.Code != row.code {
				t.Errorf("%s, want %q", answer.body, row.code)
			}
		})
	}
}

func TestReplayAfterRelease(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		replay ecsemulator.Replay
		code   string
	}{
		"same ids": {ecsemulator.ReplaySameIDs, ""},
		"error":    {ecsemulator.ReplayFails, "IdempotentFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{ReplayAfterRelease: row.replay}})
			c := newClient(t, server)
			id := c.run(values{"ClientToken": "t"})
			step(t, server, time.Minute)
			c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
			step(t, server, time.Minute)
			answer := c.call("RunInstances", launch().with(values{"ClientToken": "t"}))
			if answer.Code != row.code {
				t.Fatalf("answered %s", answer.body)
			}
			if row.code == "" && answer.text(t, "InstanceIdSets", "InstanceIdSet", 0) != id {
				t.Errorf("other ids: %s", answer.body)
			}
			if n := len(server.Instances()); n != 0 {
				t.Errorf("%d instances", n)
			}
		})
	}
}

func TestTokenLifetime(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{TokenLifetimeSeconds: 60}})
	c := newClient(t, server)
	first := c.run(values{"ClientToken": "t"})
	step(t, server, 59*time.Second)
	if c.run(values{"ClientToken": "t"}) != first {
		t.Error("forgotten too early")
	}
	step(t, server, time.Second)
	if c.run(values{"ClientToken": "t"}) == first {
		t.Error("not forgotten")
	}
}

func TestBadSwitchesAreRefused(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]ecsemulator.Options{
		"replay":            {Behavior: ecsemulator.Behavior{ReplayAfterRelease: "maybe"}},
		"burn":              {Behavior: ecsemulator.Behavior{TokenBurn: "maybe"}},
		"denial":            {Behavior: ecsemulator.Behavior{DeniedDescribe: "maybe"}},
		"no address":        {Behavior: ecsemulator.Behavior{NoAddressCode: "maybe"}},
		"processing":        {Behavior: ecsemulator.Behavior{TokenProcessingStatus: 200}},
		"vintage":           {Behavior: ecsemulator.Behavior{GatewayCodes: "maybe"}},
		"user":              {Users: []ecsemulator.User{{}}},
		"role":              {Roles: []ecsemulator.Role{{}}},
		"identity provider": {IdentityProviders: []ecsemulator.IdentityProvider{{}}},
		"metadata":          {MetadataAddress: "nowhere:x"},
		"lifetime":          {Behavior: ecsemulator.Behavior{TokenLifetimeSeconds: -1}},
		"factor":            {ClockFactor: -1},
		"rule":              {Rules: []ecsemulator.Rule{{Kind: "explode"}}},
		"key":               {AccessKeys: []ecsemulator.AccessKey{{ID: "a"}}},
		"address":           {Address: "nowhere:x"},
		"empty":             {Catalogue: &ecsemulator.Catalogue{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if server, err := ecsemulator.Start(t.Context(), options); err == nil {
				_ = server.Close()
				t.Error("started")
			}
		})
	}
}

func TestTheStatusOfARunningTokenIsASwitch(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{TokenProcessingStatus: 400}})
	c := newClient(t, server)
	rule := addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleHold, At: ecsemulator.MomentDuring, Times: 1})
	own := launch().with(values{"ClientToken": "t"})
	done := c.inBackground("RunInstances", own)
	hold := waitHold(t, server, rule)
	c.refused("RunInstances", own, "IdempotentProcessing", 400)
	if err := server.Release(hold.ID, ecsemulator.Proceed); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.status != 200 {
		t.Errorf("%v %s", got.err, got.body)
	}
}
