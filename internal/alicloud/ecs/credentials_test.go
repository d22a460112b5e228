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
