package exampletest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// update has the policies written anew, from the calls of a run in which everything is
// allowed: go test ./internal/exampletest -run '^TestExamples$' -update-policies.
var update = flag.Bool("update-policies", false, "write examples/ram-policies from the calls that the examples make")

const (
	policyDirectory = "examples/ram-policies"
	// policyOwner stands in the policies where a reader puts the provider's owner.
	policyOwner = "platform/prod"
	ownerTag    = "terraform-machine/owner"
	// policyGroup stands in a policy where a reader puts a resource group.
	policyGroup = "rg-acme"
)

// readPolicies reads the named policies for an owner.
func readPolicies(t *testing.T, owner string, names []string) []ecsemulator.Policy {
	t.Helper()

	if *update {
		return []ecsemulator.Policy{ecsemulator.AllowAll()}
	}

	var policies []ecsemulator.Policy

	for _, name := range names {
		content, err := fs.ReadFile(repository(t), policyDirectory+"/"+name+".json")
		if err != nil {
			t.Fatal(err)
		}

		policy, err := ecsemulator.ParsePolicy(strings.ReplaceAll(string(content), policyOwner, owner))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		policies = append(policies, policy)
	}

	return policies
}

// journal is what the users of all clouds of a test asked for.
type journal struct {
	mu sync.Mutex
	// called are the actions, such as ecs:RunInstances, that were allowed to those whose
	// first policy beside the plan's this is; policyPlan stands for the planners.
	called map[string]map[string]bool
	// benches counts those that have been taken over.
	benches int
}

// note takes over the calls of a bench's cloud that its users made.
func (j *journal) note(b *bench) {
	j.mu.Lock()
	defer j.mu.Unlock()

	if j.called == nil {
		j.called = map[string]map[string]bool{}
	}

	policies := map[string]string{planner: policyPlan, applier: b.policies[0]}
	if slices.Contains(b.policies[1:], policyOperations) {
		delete(policies, applier) // Which of the two a call needs is for others to tell.
	}

	for _, call := range b.cloud.Calls() {
		policy, known := policies[call.AccessKeyID]
		if !known || call.Action == "GetCallerIdentity" || strings.HasPrefix(call.Code, "Forbidden") {
			continue
		}

		if j.called[policy] == nil {
			j.called[policy] = map[string]bool{}
		}

		for _, action := range together(call.Action) {
			j.called[policy][productOf(call.Version)+":"+action] = true
		}
	}

	j.benches++
}

// together are the actions of which one is called for a single machine, and the other
// for several whose calls happen to meet.
func together(action string) []string {
	for _, single := range []string{"StartInstance", "StopInstance", "RebootInstance"} {
		if action == single || action == single+"s" {
			return []string{single, single + "s"}
		}
	}

	return []string{action}
}

// productOf is how policies name the product of an API version.
func productOf(version string) string {
	if version == "2016-04-28" {
		return "vpc"
	}

	return "ecs"
}

// actions are what the journal holds of users who have the policy, without what the
// policy for plans allows. What a plan writes, it writes where it may, and goes on where it
// may not: marking a machine as held by a state.
func (j *journal) actions(policy string) []string {
	found := maps.Clone(j.called[policy])

	maps.DeleteFunc(found, func(action string, _ bool) bool {
		planned := reads(action) && j.called[policyPlan][action]

		return planned != (policy == policyPlan)
	})

	return slices.Sorted(maps.Keys(found))
}

// policyOf is the policy that allows the actions: what changes a machine, on machines of
// the owner alone.
func policyOf(actions []string, key, value string) ecsemulator.Policy {
	var free, launching, changing ecsemulator.TextList

	for _, action := range actions {
		switch {
		case reads(action):
			free = append(free, action)
		case action == "ecs:RunInstances":
			launching = append(launching, action)
		default:
			changing = append(changing, action)
		}
	}

	policy := ecsemulator.Policy{Version: "1"}

	add := func(actions ecsemulator.TextList, key string) {
		if len(actions) == 0 {
			return
		}

		statement := ecsemulator.Statement{Effect: "Allow", Action: actions, Resource: ecsemulator.TextList{"*"}}
		if key != "" {
			statement.Condition = map[string]map[string]ecsemulator.TextList{"StringEquals": {key: {value}}}
		}

		policy.Statement = append(policy.Statement, statement)
	}

	launchKey, changeKey := "acs:RequestTag/"+ownerTag, "acs:ResourceTag/"+ownerTag
	if key != "" {
		launchKey, changeKey = key, key
	}

	add(free, "")
	add(launching, launchKey)
	add(changing, changeKey)

	return policy
}

// fixedPolicies are those that no call shows: one is asked about within a launch, the
// other lets go of the condition under which the calls are allowed.
func fixedPolicies() map[string]ecsemulator.Policy {
	return map[string]ecsemulator.Policy{
		policyPassRole: {Version: "1", Statement: []ecsemulator.Statement{{
			Effect: "Allow", Action: ecsemulator.TextList{"ram:PassRole"}, Resource: ecsemulator.TextList{"acs:ram:*:*:role/acme-node-role"},
		}}},
		policyImport: {Version: "1", Statement: []ecsemulator.Statement{{
			Effect: "Allow", Action: ecsemulator.TextList{"ecs:TagResources"}, Resource: ecsemulator.TextList{"*"},
			Condition: map[string]map[string]ecsemulator.TextList{"StringEquals": {"acs:RequestTag/" + ownerTag: {policyOwner}}},
		}}},
	}
}

// expected are all policies, by the name of their file.
func (j *journal) expected() map[string]ecsemulator.Policy {
	policies := fixedPolicies()
	policies[policyPlan] = policyOf(j.actions(policyPlan), "", "")

	for _, name := range []string{policyApply, policyOperations} {
		policies[name] = policyOf(j.actions(name), "", policyOwner)
		policies[name+inResourceGroup] = policyOf(j.actions(name), "acs:ResourceGroupId", policyGroup)
	}

	return policies
}

// check compares the policies that are published with the calls that were made, or
// publishes those that the calls need.
func (j *journal) check(t *testing.T) {
	t.Helper()

	root, err := terraformcli.ModuleRoot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}

	for name, policy := range j.expected() {
		var content bytes.Buffer

		encoder := json.NewEncoder(&content)
		encoder.SetIndent("", "  ")

		if err := encoder.Encode(policy); err != nil {
			t.Fatal(err)
		}

		file := filepath.Join(root, filepath.FromSlash(policyDirectory), name+".json")

		if *update {
			if err := os.WriteFile(file, content.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}

			continue
		}

		published, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		if !bytes.Equal(published, content.Bytes()) {
			t.Errorf("the calls that were made need, in %s:\n%s\nbut it allows:\n%s", file, content.Bytes(), published)
		}
	}
}
