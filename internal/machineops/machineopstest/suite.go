package machineopstest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// shortestSecret keeps a marker from being found where it is not.
	shortestSecret = 12
	// defaultPolls is how many polls an operation gets to come to its end.
	defaultPolls = 500
	// defaultRequeue is the pause between polls where none is asked for.
	defaultRequeue = time.Second
)

// The actions that the rules know. A cloud names others as it likes.
const (
	// ActionCreate brings a resource into being.
	ActionCreate = "create"
	// ActionRemove gives a resource back.
	ActionRemove = "remove"
)

// Effect is one thing that was done to a resource, as its cloud recorded it.
type Effect struct {
	// Action is ActionCreate, ActionRemove, or a word of the cloud's.
	Action string
	Kind   unboundedv1alpha3.OwnedResourceKind
	// ID is the provider-native identity.
	ID string
}

// Suite describes a registration with capacity, and its cloud, to the rules.
// Every field is needed unless it says otherwise.
type Suite struct {
	// New returns a registration as another process would build it: it shares
	// nothing with earlier ones but the cloud.
	New func(ctx context.Context) (*machineops.Provider, error)
	// Class resolves into at least one offering that a host can be got from.
	Class machineops.ClassRequest
	// InvalidConfig is a provider configuration that can never be right, as can be
	// seen without asking the cloud.
	InvalidConfig machineops.ProviderConfig
	// Allocation returns the HostAllocate request for the allocation of a name: for
	// one name always the same, for two names different in their UIDs. Its UserData
	// holds the first of Secrets. The suite sets the offering.
	Allocation func(name string) machineops.OperationRequest
	// Release returns the HostRelease request for an allocation, from its request
	// and its result. Optional: without it the request is derived.
	Release func(request machineops.OperationRequest, result machineops.OperationResult) machineops.OperationRequest
	// Operation returns the request of another kind for an allocated host. Optional:
	// without it the request is derived.
	Operation func(
		kind unboundedv1alpha3.OperationKind, request machineops.OperationRequest, result machineops.OperationResult,
	) machineops.OperationRequest
	// Kinds are the kinds besides HostAllocate and HostRelease to run, in the order
	// to run them on one host. Optional: nil means all that are registered.
	Kinds []unboundedv1alpha3.OperationKind
	// Secrets are markers, of at least twelve bytes, that stand in the user data and
	// the credentials and may appear nowhere else.
	Secrets []string
	// Output returns all that registrations have logged so far. Optional.
	Output func() string
	// Effects returns, in order, what was done in the cloud since its beginning and a
	// user would notice: creations, removals, stops, reboots and the like, but neither
	// tags nor what follows by itself (a disk that goes with its host).
	Effects func(ctx context.Context) ([]Effect, error)
	// Calls returns how many requests the cloud got since its beginning.
	Calls func() int
	// Wait lets time pass for the cloud. Optional: without it real time passes.
	Wait func(ctx context.Context, d time.Duration) error
	// Now returns the cloud's time. Optional: without it, real time.
	Now func() time.Time
	// Polls is how many polls an operation gets to come to its end. Optional.
	Polls int
}

// Violation says where a registration breaks a rule.
type Violation struct {
	// Rule is the name of the broken rule.
	Rule string
	// Detail says how; secrets are redacted in it.
	Detail string
}

// Rule is one thing that a registration has to keep to.
type Rule struct {
	Name string
	// Promise says what has to hold.
	Promise string

	check func(*check)
}

// Rules lists all rules, in the order in which they are checked.
func Rules() []Rule {
	var rules []Rule

	rules = append(rules, capacityRules()...)
	rules = append(rules, allocateRules()...)
	rules = append(rules, pollRules()...)
	rules = append(rules, releaseRules()...)
	rules = append(rules, operationRules()...)

	// These two are checked at every call that another rule makes.
	return append(
		rules,
		Rule{Name: ruleAnswers, Promise: "every answer is well-formed: handles are usable, states known, pauses not negative"},
		Rule{Name: ruleSecrets, Promise: "no user data and no credential appears in a handle, message, reason, result, error or log"},
	)
}

// Run reports each rule as a subtest of t.
func Run(t *testing.T, suite Suite) {
	t.Helper()

	violations, err := Check(t.Context(), suite)
	if err != nil {
		t.Fatal(err)
	}

	for _, rule := range Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			for _, violation := range violations {
				if violation.Rule == rule.Name {
					t.Errorf("%s: %s", rule.Promise, violation.Detail)
				}
			}
		})
	}
}

// Check runs all rules and returns what violates them. It is an error if the suite
// is incomplete, or ctx is done before all rules were run.
func Check(ctx context.Context, suite Suite) ([]Violation, error) {
	if err := suite.validate(); err != nil {
		return nil, fmt.Errorf("contract suite: %w", err)
	}

	var violations []Violation

	for _, rule := range Rules() {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("contract suite: %w", err)
		}

		if rule.check == nil {
			continue
		}

		checked := &check{ctx: ctx, suite: suite, rule: rule.Name}
		rule.check(checked)
		checked.inspectOutput()

		violations = append(violations, checked.violations...)
	}

	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("contract suite: %w", err)
	}

	return violations, nil
}

func (s Suite) validate() error {
	switch {
	case s.New == nil:
		return errors.New("the suite lacks New")
	case s.Allocation == nil:
		return errors.New("the suite lacks Allocation")
	case s.Effects == nil:
		return errors.New("the suite lacks Effects")
	case s.Calls == nil:
		return errors.New("the suite lacks Calls")
	case len(s.Secrets) == 0:
		return errors.New("the suite lacks Secrets")
	}

	for _, secret := range s.Secrets {
		if len(secret) < shortestSecret {
			return fmt.Errorf("a secret is shorter than %d bytes", shortestSecret)
		}
	}

	return s.validateAllocation()
}

func (s Suite) validateAllocation() error {
	first, second := s.Allocation("first"), s.Allocation("second")

	switch {
	case first.Allocation == nil || second.Allocation == nil:
		return errors.New("a request of Allocation has no allocation")
	case !strings.Contains(first.Allocation.UserData, s.Secrets[0]):
		return errors.New("the user data of Allocation lacks the first of Secrets")
	case first.OperationUID == "" || first.Allocation.UID == "":
		return errors.New("a request of Allocation has no UIDs")
	case first.OperationUID == second.OperationUID || first.Allocation.UID == second.Allocation.UID:
		return errors.New("requests of Allocation for two names have the same UIDs")
	case first.OperationUID != s.Allocation("first").OperationUID:
		return errors.New("requests of Allocation for one name have two UIDs")
	}

	return nil
}
