package ecs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func environment(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, set := values[name]
		return value, set
	}
}

func TestEnvironmentCredentials(t *testing.T) {
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
		want      CredentialValue
		wantError []string
	}{
		"current family":               {current, CredentialValue{"id1", "secret1", "token1"}, nil},
		"Terraform's tradition":        {tradition, CredentialValue{"id2", "secret2", "token2"}, nil},
		"third family":                 {third, CredentialValue{"id3", "secret3", ""}, nil},
		"the first family wins":        {merge(third, tradition, current), CredentialValue{"id1", "secret1", "token1"}, nil},
		"a token of another is left":   {merge(third, map[string]string{"ALIBABA_CLOUD_SECURITY_TOKEN": "token1"}), CredentialValue{"id3", "secret3", ""}, nil},
		"blank is not set":             {merge(tradition, map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": "  "}), CredentialValue{"id2", "secret2", "token2"}, nil},
		"a line end is no part":        {map[string]string{"ALICLOUD_ACCESS_KEY": "id2\n", "ALICLOUD_SECRET_KEY": "secret2\n"}, CredentialValue{"id2", "secret2", ""}, nil},
		"ID without secret is refused": {merge(tradition, map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": "id1"}), CredentialValue{}, []string{"ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"}},
		"secret without ID is refused": {map[string]string{"ALICLOUD_SECRET_KEY": "secret2"}, CredentialValue{}, []string{"ALICLOUD_SECRET_KEY", "ALICLOUD_ACCESS_KEY"}},
		"none": {nil, CredentialValue{}, []string{
			"ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "ALICLOUD_ACCESS_KEY", "ALICLOUD_SECRET_KEY",
			"ALIBABACLOUD_ACCESS_KEY_ID", "ALIBABACLOUD_ACCESS_KEY_SECRET",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := EnvironmentCredentials(environment(test.values)).Credentials(context.Background())
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

func TestRegionAndEndpointsFromTheEnvironment(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values map[string]string
		want   string
	}{
		"none":      {nil, ""},
		"current":   {map[string]string{"ALIBABA_CLOUD_REGION": "cn-a", "ALICLOUD_REGION": "cn-b"}, "cn-a"},
		"tradition": {map[string]string{"ALICLOUD_REGION": "cn-b"}, "cn-b"},
		"third":     {map[string]string{"ALIBABACLOUD_REGION": "cn-c"}, "cn-c"},
	} {
		if got := RegionFromEnvironment(environment(test.values)); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	got := EndpointsFromEnvironment(environment(map[string]string{
		"ALIBABA_CLOUD_ENDPOINT_ECS": "http://e:1", "ECS_ENDPOINT": "other", "VPC_ENDPOINT": "v:2", "ALIBABA_CLOUD_ENDPOINT_STS": "s:3",
	}))
	if want := (Endpoints{ECS: "http://e:1", VPC: "v:2", STS: "s:3"}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestACredentialValueShowsNothingOfItself(t *testing.T) {
	t.Parallel()
	value := CredentialValue{AccessKeyID: testKeyID, AccessKeySecret: testKeySecret, SecurityToken: testToken}
	nested := struct {
		Value   CredentialValue
		Pointer *CredentialValue
	}{value, &value}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		assertNoSecret(t, fmt.Sprintf(verb, value))
		assertNoSecret(t, fmt.Sprintf(verb, &value))
		assertNoSecret(t, fmt.Sprintf(verb, nested))
		assertNoSecret(t, fmt.Sprintf(verb, StaticCredentials(testKeyID, testKeySecret, testToken)))
	}
	encoded, err := json.Marshal(nested)
	if err != nil {
		t.Fatal(err)
	}
	assertNoSecret(t, string(encoded))
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", value)
	assertNoSecret(t, log.String())
}

func TestACallWithoutACompleteKeyIsNotSent(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	for name, source := range map[string]Credentials{
		"no ID":     StaticCredentials("", testKeySecret, ""),
		"no secret": StaticCredentials(testKeyID, "", ""),
		"nothing":   StaticCredentials("", "", ""),
		"failing": credentialsFunc(func(context.Context) (CredentialValue, error) {
			return CredentialValue{}, errors.New("cannot reach http://user:hidden-password@broker/?SecurityToken=" + testToken)
		}),
	} {
		_, err := clientOf(t, s, func(config *Config) { config.Credentials = source }).Zones(soon(t), "")
		if ClassOf(err) != ClassCredentials {
			t.Errorf("%s: %v", name, err)
		}
		assertNoSecret(t, err.Error(), "hidden-password")
	}
	if count := s.count("DescribeZones"); count != 0 {
		t.Errorf("%d calls", count)
	}
}

func TestEveryServiceIsCalledWithTheSameCredentialsAndUserAgent(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) { accept(w) })
	client := clientOf(t, s, func(config *Config) { config.UserAgent = "terraform-provider-machine/test" })
	if _, err := client.Zones(soon(t), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := client.VSwitches(soon(t), "", []string{"vsw-a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CallerIdentity(soon(t)); err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"DescribeZones", "DescribeVSwitches", "GetCallerIdentity"} {
		request := s.of(action)[0]
		if request.query.Get("AccessKeyId") != testKeyID || request.query.Get("SecurityToken") != testToken {
			t.Errorf("%s is signed with another key", action)
		}
		agent := request.header.Get("User-Agent")
		if !strings.HasPrefix(agent, "AlibabaCloud (") || !strings.HasSuffix(agent, " terraform-provider-machine/test") {
			t.Errorf("%s: user agent %q", action, agent)
		}
	}
}
