package exampletest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// The RAM users that a bench's commands sign as. What each may do stands in the policies
// of examples/ram-policies, and nothing else is allowed to it.
const (
	// planner runs what changes nothing.
	planner = "planner"
	// applier runs the rest.
	applier = "applier"
)

// The policies, by the name of their file.
const (
	policyPlan       = "plan"
	policyApply      = "apply"
	policyOperations = "operations"
	policyImport     = "import"
	policyPassRole   = "pass-role"
	// inResourceGroup is appended for the same permissions in one resource group.
	inResourceGroup = "-in-resource-group"
)

// ownerArgument finds the owner in a configuration.
var ownerArgument = regexp.MustCompile(`(?m)^\s*owner\s*=\s*"([^"]+)"`)

// ownerOf is the owner that the configuration's provider has.
func ownerOf(t *testing.T, configuration string) string {
	t.Helper()

	found := ownerArgument.FindStringSubmatch(configuration)
	if found == nil {
		t.Fatal("the configuration has no owner")
	}

	return found[1]
}

// addRoles gives the cloud the users and returns the environments of their commands. The
// planner has the policy for plans, and the applier has the named ones besides.
func addRoles(t *testing.T, cloud *acctest.Cloud, owner string, policies []string) map[string]map[string]string {
	t.Helper()

	environments := map[string]map[string]string{}

	for name, names := range map[string][]string{planner: {policyPlan}, applier: append([]string{policyPlan}, policies...)} {
		user := ecsemulator.User{Name: name, Policies: readPolicies(t, owner, names)}
		if err := cloud.SetUser(user); err != nil {
			t.Fatal(err)
		}

		key := ecsemulator.AccessKey{ID: name, Secret: "secret of the " + name, UserName: name}
		if err := cloud.SetAccessKey(key); err != nil {
			t.Fatal(err)
		}

		environments[name] = cloud.Variables()
		environments[name]["ALIBABA_CLOUD_ACCESS_KEY_ID"] = key.ID
		environments[name]["ALIBABA_CLOUD_ACCESS_KEY_SECRET"] = key.Secret
	}

	return environments
}

// roleOf is who runs a command.
func roleOf(command string) string {
	switch command {
	case "init", "validate", "plan", "output":
		return planner
	default:
		return applier
	}
}

// reads reports whether an action, such as ecs:DescribeInstances, changes nothing.
func reads(action string) bool {
	_, name, _ := strings.Cut(action, ":")

	return strings.HasPrefix(name, "Describe") || strings.HasPrefix(name, "Get") || strings.HasPrefix(name, "List")
}
