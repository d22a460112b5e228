package provider_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// A machine's whole life is that of the last role in the chain, over HTTPS with
// certificates of one's own: one source signs the calls to every product.
func TestAccEveryCallIsSignedByTheLastRoleOfTheChain(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	const (
		account = "acs:ram::" + ecsemulator.DefaultAccountID
		keyID   = "LTAI5tOfEve00000000001"
		secret  = "secret-of-eve-that-nobody-shows"
	)

	policy := func(text string) ecsemulator.Policy {
		var p ecsemulator.Policy
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}

		return p
	}
	may := func(actions string) []ecsemulator.Policy {
		return []ecsemulator.Policy{policy(`{"Version":"1","Statement":[{"Effect":"Allow","Action":` + actions + `,"Resource":"*"}]}`)}
	}
	trust := func(arn string) ecsemulator.Policy {
		return policy(`{"Version":"1","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":{"RAM":"` + arn + `"},"Condition":{}}]}`)
	}

	cloud := acctest.Start(t, ecsemulator.Options{
		TLS:        true,
		AccessKeys: []ecsemulator.AccessKey{{ID: keyID, Secret: secret, UserName: "eve"}},
		Users:      []ecsemulator.User{{Name: "eve", Policies: may(`"sts:AssumeRole"`)}},
		Roles: []ecsemulator.Role{
			{Name: "gate", TrustPolicy: trust(account + ":user/eve"), Policies: may(`"sts:AssumeRole"`)},
			{Name: "deployer", TrustPolicy: trust(account + ":role/gate"), Policies: may(`["ecs:*","vpc:*"]`)},
		},
	})
	block := cloud.Provider(acctest.Arguments{
		"access_key_id":     strconv.Quote(keyID),
		"access_key_secret": strconv.Quote(secret),
		"protocol":          `"https"`,
		"ca_file":           strconv.Quote(cloud.CAFile()),
		"assume_role":       fmt.Sprintf(`[{ role_arn = "%s:role/gate" }, { role_arn = "%s:role/deployer", session_name = "apply", session_expiration = 900 }]`, account, account),
	})

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps:                    []resource.TestStep{{Config: block + acctest.Class() + acctest.Allocation("worker-a")}},
		CheckDestroy:             cloud.CheckNothingLeft(1),
	})

	for _, answer := range cloud.AnswerCounts() {
		if answer.AccessKeyID == keyID && answer.Action != "AssumeRole" {
			t.Errorf("%d calls of %s were signed with the first key", answer.Calls, answer.Action)
		}

		// That a machine is gone is an answer, too: the class's destroy looks for what is left.
		expected := strings.Contains(strings.ToLower(answer.Code), "dryrun") || strings.HasSuffix(answer.Code, ".NotFound")
		if answer.Status != 200 && !expected {
			t.Errorf("%s was answered %d %s", answer.Action, answer.Status, answer.Code)
		}
	}

	for _, effect := range cloud.Journal() {
		if effect.Caller != "" && effect.Caller != account+":assumed-role/deployer/apply" {
			t.Errorf("%s was %s's", effect.Action, effect.Caller)
		}
	}
}
