package machineopstest_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/machineopstest"
)

func TestRightRegistrationKeepsToEveryRule(t *testing.T) {
	t.Parallel()

	machineopstest.Run(t, suiteFor(newCloud(), nil))
}

func TestEveryRuleHasANameAPromiseAndAWrongRegistration(t *testing.T) {
	t.Parallel()

	broken := map[string]bool{}
	for _, wrong := range wrongRegistrations() {
		broken[wrong.rule] = true
	}

	seen := map[string]bool{}

	for _, rule := range machineopstest.Rules() {
		if rule.Name == "" || rule.Promise == "" || seen[rule.Name] {
			t.Errorf("rule %q lacks its name or promise, or stands twice", rule.Name)
		}

		if !broken[rule.Name] {
			t.Errorf("no registration breaks rule %s", rule.Name)
		}

		seen[rule.Name] = true
	}
}

func TestWrongRegistrationBreaksItsRule(t *testing.T) {
	t.Parallel()

	for _, wrong := range wrongRegistrations() {
		t.Run(wrong.rule+"/"+wrong.name, func(t *testing.T) {
			t.Parallel()

			violations, err := machineopstest.Check(t.Context(), suiteFor(newCloud(), wrong.spoil))
			if err != nil {
				t.Fatal(err)
			}

			if !slices.ContainsFunc(violations, func(v machineopstest.Violation) bool { return v.Rule == wrong.rule }) {
				t.Errorf("the rule was not found broken; violations: %v", violations)
			}

			for _, violation := range violations {
				if strings.Contains(violation.Detail, userDataSecret) || strings.Contains(violation.Detail, keySecret) {
					t.Errorf("the violation of %s prints a secret", violation.Rule)
				}
			}
		})
	}
}

func TestSecretIsFoundInEveryForm(t *testing.T) {
	t.Parallel()

	for name, form := range map[string]func(string) string{
		"plain":      func(s string) string { return s },
		"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64 +1":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "y")) },
		"base64 +2":  func(s string) string { return base64.URLEncoding.EncodeToString([]byte("xy" + s + "z")) },
		"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
		"upper hex":  func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"URL escape": url.QueryEscape,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			suite := suiteFor(newCloud(), nil)
			suite.Output = func() string { return "before " + form(userDataSecret) + " after" }

			violations, err := machineopstest.Check(t.Context(), suite)
			if err != nil {
				t.Fatal(err)
			}

			if len(violations) == 0 {
				t.Errorf("the secret was not found in the log")
			}
		})
	}
}

func TestIncompleteSuiteIsAnError(t *testing.T) {
	t.Parallel()

	for name, spoil := range map[string]func(*machineopstest.Suite){
		"no New":             func(s *machineopstest.Suite) { s.New = nil },
		"no Allocation":      func(s *machineopstest.Suite) { s.Allocation = nil },
		"no Effects":         func(s *machineopstest.Suite) { s.Effects = nil },
		"no Calls":           func(s *machineopstest.Suite) { s.Calls = nil },
		"no Secrets":         func(s *machineopstest.Suite) { s.Secrets = nil },
		"a short secret":     func(s *machineopstest.Suite) { s.Secrets = append(s.Secrets, "short") },
		"another secret":     func(s *machineopstest.Suite) { s.Secrets = []string{"MARKER-of-another"} },
		"the same UID twice": func(s *machineopstest.Suite) { s.Allocation = sameForAll },
		"no allocation": func(s *machineopstest.Suite) {
			s.Allocation = func(string) machineops.OperationRequest { return machineops.OperationRequest{} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			suite := suiteFor(newCloud(), nil)
			spoil(&suite)

			if _, err := machineopstest.Check(t.Context(), suite); err == nil {
				t.Errorf("no error")
			}
		})
	}
}

func sameForAll(string) machineops.OperationRequest { return allocation("same") }

func TestSuiteWhoseContextIsDoneIsAnError(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if _, err := machineopstest.Check(ctx, suiteFor(newCloud(), nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want the context's", err)
	}
}

func TestRegistrationThatCannotBeBuiltBreaksTheRules(t *testing.T) {
	t.Parallel()

	suite := suiteFor(newCloud(), nil)
	suite.New = func(context.Context) (*machineops.Provider, error) { return nil, errors.New("not today") }

	violations, err := machineopstest.Check(t.Context(), suite)
	if err != nil {
		t.Fatal(err)
	}

	for _, rule := range machineopstest.Rules() {
		called := rule.Name == "AnswersAreWellFormed" || rule.Name == "SecretsStayInside"
		if !called && !slices.ContainsFunc(
			violations, func(v machineopstest.Violation) bool { return v.Rule == rule.Name }) {
			t.Errorf("rule %s passes without a registration", rule.Name)
		}
	}
}
