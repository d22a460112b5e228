package lifecycle_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

func TestIdentityIsTheSameInEveryVersion(t *testing.T) {
	t.Parallel()

	// Machines are found again by these after a kill, also by a later version.
	i := identity("w")

	for name, test := range map[string]struct{ got, want string }{
		"UID":           {string(i.UID()), "3da6311f79b78e74e6302a4af20010b9"},
		"first launch":  {string(i.OperationUID(0)), "86384b8b6f57317e4bf1b8682275e48e"},
		"second launch": {string(i.OperationUID(1)), "dae53c68bca1e37f34c1767745362ba1"},
		"first claim":   {i.LaunchClaim(0), "f3470d15c19e6c19b7a3c0b389217a85"},
	} {
		if test.got != test.want {
			t.Errorf("%s is %s, want %s", name, test.got, test.want)
		}
	}
}

func TestIdentitiesAreToldApart(t *testing.T) {
	t.Parallel()

	seen := map[string]lifecycle.Identity{}

	for _, i := range []lifecycle.Identity{
		{Owner: "a", ClassUID: "b", Name: "c"},
		{Owner: "ab", ClassUID: "", Name: "c"},
		{Owner: "", ClassUID: "ab", Name: "c"},
		{Owner: "a", ClassUID: "bc", Name: ""},
		{Owner: "a", ClassUID: "", Name: "bc"},
		{},
	} {
		for _, id := range []string{
			string(i.UID()), string(i.OperationUID(0)), string(i.OperationUID(1)), string(i.OperationUID(10)), i.LaunchClaim(0), i.LaunchClaim(1),
		} {
			if other, taken := seen[id]; taken {
				t.Errorf("%+v and %+v share %s", i, other, id)
			}

			seen[id] = i
		}
	}
}
