package ecsemulator_test

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestRulesFromAFile(t *testing.T) {
	t.Parallel()
	rules, err := ecsemulator.ReadRules(strings.NewReader(`[
		{"id": "third launch is lost", "kind": "cut", "action": "RunInstances", "first": 3, "times": 1, "at": "after"},
		{"id": "security", "kind": "lock", "reason": "security", "action": "RunInstances", "seconds": 60}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	server := still(t, ecsemulator.Options{Rules: rules})
	c := newClient(t, server)
	for n := range 4 {
		if _, err := c.try("RunInstances", launch()); (err != nil) != (n == 2) {
			t.Errorf("launch %d: %v", n+1, err)
		}
	}
	if n := len(server.Instances()); n != 4 {
		t.Errorf("%d instances", n)
	}
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	if err := control.RemoveRule(t.Context(), "security"); err != nil {
		t.Error(err)
	}
	if err := control.RemoveRule(t.Context(), "third launch is lost"); err != nil {
		t.Error(err)
	}
	if left := server.RulesInForce(); len(left) != 0 {
		t.Errorf("left in force: %+v", left)
	}
}

func TestRulesThatAFileCannotHold(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		``:                                       "read rules",
		`{"kind": "cut"}`:                        "read rules",
		`[{"kind": "cut", "colour": "red"}]`:     "colour",
		`[{"kind": "cut"}] []`:                   "after the list",
		`[{"kind": "cut"}, {"kind": "explode"}]`: "rule 2",
		`[{"kind": "lock"}]`:                     "reason",
		`[{"kind": "stop", "reason": "security"}]`:                "reason",
		`[{"kind": "conceal"}]`:                                   "seconds",
		`[{"kind": "linger"}]`:                                    "seconds",
		`[{"kind": "account"}]`:                                   "account_id",
		`[{"kind": "account", "account_id": "1", "at": "after"}]`: "before",
		`[{"id": "a", "kind": "cut"}, {"id": "a", "kind": "throttle", "per_minute": 1}]`: "rule 1",
	} {
		if _, err := ecsemulator.ReadRules(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
