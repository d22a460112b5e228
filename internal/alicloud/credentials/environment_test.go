package credentials

import (
	"context"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

func wanted(id, secret, token string) ecs.CredentialValue {
	return ecs.CredentialValue{AccessKeyID: id, AccessKeySecret: secret, SecurityToken: token}
}

func environmentValue(values map[string]string) (ecs.CredentialValue, error) {
	found, err := New(Options{LookupEnv: func(name string) (string, bool) { value, set := values[name]; return value, set }})
	if err != nil {
		return ecs.CredentialValue{}, err
	}
	return found.Credentials(context.Background())
}

func TestTheKeyInTheEnvironment(t *testing.T) {
	t.Parallel()
	current := map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": "id1", "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "secret1", "ALIBABA_CLOUD_SECURITY_TOKEN": "token1"}
	tradition := map[string]string{"ALICLOUD_ACCESS_KEY": "id2", "ALICLOUD_SECRET_KEY": "secret2", "ALICLOUD_SECURITY_TOKEN": "token2"}
	third := map[string]string{"ALIBABACLOUD_ACCESS_KEY_ID": "id3", "ALIBABACLOUD_ACCESS_KEY_SECRET": "secret3"}
	merge := func(families ...map[string]string) map[string]string {
		all := map[string]string{}
		for _, family := range families {
			for name, value := range family {
				all[name] = value
			}
		}
		return all
	}
	for name, test := range map[string]struct {
		values    map[string]string
		want      ecs.CredentialValue
		wantError []string
	}{
		"current family":               {current, wanted("id1", "secret1", "token1"), nil},
		"Terraform's tradition":        {tradition, wanted("id2", "secret2", "token2"), nil},
		"third family":                 {third, wanted("id3", "secret3", ""), nil},
		"the first family wins":        {merge(third, tradition, current), wanted("id1", "secret1", "token1"), nil},
		"a token of another is left":   {merge(third, map[string]string{"ALIBABA_CLOUD_SECURITY_TOKEN": "token1"}), wanted("id3", "secret3", ""), nil},
		"blank is not set":             {merge(tradition, map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": "  "}), wanted("id2", "secret2", "token2"), nil},
		"a line end is no part":        {map[string]string{"ALICLOUD_ACCESS_KEY": "id2\n", "ALICLOUD_SECRET_KEY": "secret2\n"}, wanted("id2", "secret2", ""), nil},
		"ID without secret is refused": {merge(tradition, map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": "id1"}), ecs.CredentialValue{}, []string{"ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"}},
		"secret without ID is refused": {map[string]string{"ALICLOUD_SECRET_KEY": "secret2"}, ecs.CredentialValue{}, []string{"ALICLOUD_SECRET_KEY", "ALICLOUD_ACCESS_KEY"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := environmentValue(test.values)
			if got != test.want {
				t.Error("another key than wanted")
			}
			if (err != nil) != (test.wantError != nil) {
				t.Fatalf("error %v", err)
			}
			for _, part := range test.wantError {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not name %s", err, part)
				}
			}
			if err != nil && (strings.Contains(err.Error(), "secret2") || strings.Contains(err.Error(), "id1")) {
				t.Errorf("%q shows a value", err)
			}
		})
	}
}
