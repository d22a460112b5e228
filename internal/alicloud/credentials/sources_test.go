package credentials_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/credentials"
	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

const (
	account     = "acs:ram::" + ecsemulator.DefaultAccountID
	deployerARN = account + ":role/deployer"
	auditorARN  = account + ":role/auditor"
	podARN      = account + ":role/pod"
	providerARN = account + ":oidc-provider/ack"
	podToken    = "header.payload.signature-of-a-pod"
	eveID       = "LTAI5tEveKey0000000001"
	eveSecret   = "secret-of-eve-that-nobody-shows"
	eveARN      = account + ":user/eve"
)

// cloud is an account with a user, roles, an identity provider, and an instance
// that has a role.
type cloud struct {
	*ecsemulator.Server
	home string
}

func policy(t *testing.T, text string) ecsemulator.Policy {
	t.Helper()
	var p ecsemulator.Policy
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	trust := func(principal, condition string) ecsemulator.Policy {
		return policy(t, `{"Version":"1","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":`+principal+`,"Condition":`+condition+`}]}`)
	}
	all := policy(t, `{"Version":"1","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`)
	server, err := ecsemulator.Start(context.Background(), ecsemulator.Options{
		AccessKeys: []ecsemulator.AccessKey{
			{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}, {ID: eveID, Secret: eveSecret, UserName: "eve"},
		},
		Users: []ecsemulator.User{{Name: "eve", Policies: []ecsemulator.Policy{all}}},
		Roles: []ecsemulator.Role{
			{Name: "deployer", TrustPolicy: trust(`{"RAM":"`+account+`:root"}`, `{}`), Policies: []ecsemulator.Policy{all}},
			// This one is assumed by the session of the other only, and with an external ID.
			{Name: "auditor", TrustPolicy: trust(`{"RAM":"`+deployerARN+`"}`, `{"StringEquals":{"sts:ExternalId":"x-1"}}`), Policies: []ecsemulator.Policy{all}},
			{Name: "pod", TrustPolicy: trust(`{"Federated":"`+providerARN+`"}`, `{"StringEquals":{"oidc:aud":"sts.aliyuncs.com"}}`), Policies: []ecsemulator.Policy{all}},
		},
		IdentityProviders: []ecsemulator.IdentityProvider{{
			Name: "ack", Issuer: "https://oidc.example", ClientIDs: []string{"sts.aliyuncs.com"},
			Tokens: []ecsemulator.IdentityToken{{Text: podToken, Subject: "system:serviceaccount:ci:runner", Audience: "sts.aliyuncs.com"}},
		}},
		MetadataAddress: "127.0.0.1:0",
		PendingDuration: -1, BootDuration: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return &cloud{Server: server, home: t.TempDir()}
}

// options look in this cloud, and nowhere else.
func (c *cloud) options(env map[string]string) credentials.Options {
	return credentials.Options{
		LookupEnv:        func(name string) (string, bool) { value, set := env[name]; return value, set },
		HomeDirectory:    c.home,
		MetadataEndpoint: c.MetadataURL(),
		STS:              credentials.STS{Region: ecsemulator.DefaultRegionID, Endpoint: c.Endpoint(), Protocol: "http"},
	}
}

// instance puts an instance into the account whose role the metadata service gives.
func (c *cloud) instance(t *testing.T) {
	t.Helper()
	owner := c.client(t, ecs.StaticCredentials(ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret, ""))
	_, err := owner.RunInstances(t.Context(), ecs.RunInstancesInput{
		Zone: "cn-hangzhou-h", InstanceType: "ecs.g7.xlarge", ImageFamily: "acme-node", VSwitchID: "vsw-a", SecurityGroupIDs: []string{"sg-1"},
		InstanceName: "runner", SystemDisk: ecs.Disk{Category: "cloud_essd", SizeGiB: 40}, RAMRoleName: "acme-node-role", ClientToken: "runner",
	})
	if err != nil {
		t.Fatal(err)
	}
	c.ResetCalls()
}

func (c *cloud) client(t *testing.T, with ecs.Credentials) *ecs.Client {
	t.Helper()
	client, err := ecs.New(ecs.Config{
		Region: ecsemulator.DefaultRegionID, Credentials: with, Protocol: "http",
		Endpoints: ecs.Endpoints{ECS: c.Endpoint(), VPC: c.Endpoint(), STS: c.Endpoint()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// who tells whose credentials they are.
func (c *cloud) who(t *testing.T, options credentials.Options) (string, error) {
	t.Helper()
	found, err := credentials.New(options)
	if err != nil {
		return "", err
	}
	identity, err := c.client(t, found).CallerIdentity(t.Context())
	return identity.ARN, err
}

func (c *cloud) write(t *testing.T, text string, name ...string) string {
	t.Helper()
	file := filepath.Join(append([]string{c.home}, name...)...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// profiles writes the file of the command line tool.
func (c *cloud) profiles(t *testing.T, current string, profiles ...map[string]any) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"current": current, "profiles": profiles})
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, string(text), ".aliyun", "config.json")
}

func session(role, name string) string { return account + ":assumed-role/" + role + "/" + name }

const defaultSession = "terraform-provider-machine"

func TestEverySourceSignsCalls(t *testing.T) {
	t.Parallel()
	key := map[string]any{"access_key_id": eveID, "access_key_secret": eveSecret}
	with := func(more map[string]any) map[string]any {
		all := map[string]any{"name": "default"}
		for _, from := range []map[string]any{key, more} {
			for name, value := range from {
				all[name] = value
			}
		}
		return all
	}
	environmentKey := map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": eveID, "ALIBABA_CLOUD_ACCESS_KEY_SECRET": eveSecret}
	for name, test := range map[string]struct {
		env     map[string]string
		prepare func(t *testing.T, c *cloud, o *credentials.Options)
		want    string
	}{
		"configured key": {prepare: func(_ *testing.T, _ *cloud, o *credentials.Options) {
			o.AccessKeyID, o.AccessKeySecret = eveID, eveSecret
		}, want: eveARN},
		"configured temporary key": {prepare: func(t *testing.T, c *cloud, o *credentials.Options) {
			t.Helper()
			owner := c.client(t, ecs.StaticCredentials(eveID, eveSecret, ""))
			value, _, err := owner.AssumeRole(t.Context(), ecs.RoleSession{RoleARN: deployerARN, SessionName: "by.hand"})
			if err != nil {
				t.Fatal(err)
			}
			o.AccessKeyID, o.AccessKeySecret, o.SecurityToken = value.AccessKeyID, value.AccessKeySecret, value.SecurityToken
		}, want: session("deployer", "by.hand")},
		"a configured key wins over the environment": {
			env: map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": "other", "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "other"},
			prepare: func(_ *testing.T, _ *cloud, o *credentials.Options) {
				o.AccessKeyID, o.AccessKeySecret = eveID, eveSecret
			}, want: eveARN,
		},
		"environment":             {env: environmentKey, want: eveARN},
		"environment, tradition":  {env: map[string]string{"ALICLOUD_ACCESS_KEY": eveID, "ALICLOUD_SECRET_KEY": eveSecret}, want: eveARN},
		"environment with a role": {env: map[string]string{"ALICLOUD_ACCESS_KEY": eveID, "ALICLOUD_SECRET_KEY": eveSecret, "ALICLOUD_ASSUME_ROLE_ARN": deployerARN, "ALICLOUD_ASSUME_ROLE_SESSION_NAME": "ci", "ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION": "900"}, want: session("deployer", "ci")},
		"environment with a role, current names": {env: map[string]string{
			"ALIBABA_CLOUD_ACCESS_KEY_ID": eveID, "ALIBABA_CLOUD_ACCESS_KEY_SECRET": eveSecret, "ALIBABA_CLOUD_ROLE_ARN": deployerARN, "ALIBABA_CLOUD_ROLE_SESSION_NAME": "ci",
		}, want: session("deployer", "ci")},
		"one role": {env: environmentKey, prepare: func(_ *testing.T, _ *cloud, o *credentials.Options) {
			o.Roles = []credentials.Role{{ARN: deployerARN, Seconds: 900, Policy: `{"Version":"1","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`}}
		}, want: session("deployer", defaultSession)},
		"a chain of roles": {env: environmentKey, prepare: func(_ *testing.T, _ *cloud, o *credentials.Options) {
			o.Roles = []credentials.Role{{ARN: deployerARN}, {ARN: auditorARN, SessionName: "second", ExternalID: "x-1"}}
		}, want: session("auditor", "second")},
		"OIDC token of a pod": {prepare: func(t *testing.T, c *cloud, o *credentials.Options) {
			t.Helper()
			env := map[string]string{"ALIBABA_CLOUD_ROLE_ARN": podARN, "ALIBABA_CLOUD_OIDC_PROVIDER_ARN": providerARN, "ALIBABA_CLOUD_OIDC_TOKEN_FILE": c.write(t, podToken+"\n", "token")}
			o.LookupEnv = func(name string) (string, bool) { value, set := env[name]; return value, set }
		}, want: session("pod", defaultSession)},
		"configured OIDC token": {prepare: func(_ *testing.T, _ *cloud, o *credentials.Options) {
			o.OIDC = &credentials.OIDCRole{Role: credentials.Role{ARN: podARN, SessionName: "hcl"}, ProviderARN: providerARN, Token: podToken}
		}, want: session("pod", "hcl")},
		"instance role": {prepare: func(t *testing.T, c *cloud, o *credentials.Options) {
			t.Helper()
			c.instance(t)
			o.InstanceRole = "acme-node-role"
		}, want: "acme-node-role"},
		"instance role of the environment": {env: map[string]string{"ALIBABA_CLOUD_ECS_METADATA": "acme-node-role", "ALIBABA_CLOUD_IMDSV1_DISABLED": "true"}, prepare: func(t *testing.T, c *cloud, _ *credentials.Options) {
			t.Helper()
			c.instance(t)
		}, want: "acme-node-role"},
		"whatever role the instance has": {prepare: func(t *testing.T, c *cloud, _ *credentials.Options) {
			t.Helper()
			c.instance(t)
		}, want: "acme-node-role"},
		"credentials URI": {prepare: func(t *testing.T, _ *cloud, o *credentials.Options) {
			t.Helper()
			o.URI = answeringKey(t, eveID, eveSecret, "", time.Time{})
		}, want: eveARN},
		"credentials URI of the environment": {prepare: func(t *testing.T, _ *cloud, o *credentials.Options) {
			t.Helper()
			uri := answeringKey(t, eveID, eveSecret, "", time.Time{})
			o.LookupEnv = func(name string) (string, bool) { return uri, name == "ALICLOUD_CREDENTIALS_URI" }
		}, want: eveARN},
		"profile": {prepare: profile(with(map[string]any{"mode": "AK"})), want: eveARN},
		"profile by name": {env: map[string]string{"ALICLOUD_PROFILE": "work"}, prepare: func(t *testing.T, c *cloud, _ *credentials.Options) {
			t.Helper()
			c.profiles(t, "default", map[string]any{"name": "default", "mode": "AK"}, with(map[string]any{"name": "work", "mode": "AK"}))
		}, want: eveARN},
		"configured profile wins over the environment": {env: map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": "other", "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "other"}, prepare: func(t *testing.T, c *cloud, o *credentials.Options) {
			t.Helper()
			c.profiles(t, "", with(map[string]any{"name": "work", "mode": "AK"}))
			o.Profile = "work"
		}, want: eveARN},
		"configured file": {prepare: func(t *testing.T, c *cloud, o *credentials.Options) {
			t.Helper()
			c.write(t, `{"profiles":[{"name":"default","mode":"AK","access_key_id":"`+eveID+`","access_key_secret":"`+eveSecret+`"}]}`, "elsewhere.json")
			o.ProfileFile = "~/elsewhere.json"
		}, want: eveARN},
		"profile with a role":     {prepare: profile(with(map[string]any{"mode": "RamRoleArn", "ram_role_arn": deployerARN, "ram_session_name": "pp", "expired_seconds": 900})), want: session("deployer", "pp")},
		"profile of the instance": {prepare: onInstance(map[string]any{"name": "default", "mode": "EcsRamRole", "ram_role_name": "acme-node-role"}), want: "acme-node-role"},
		"profile with a token file": {prepare: func(t *testing.T, c *cloud, _ *credentials.Options) {
			t.Helper()
			c.profiles(t, "p", map[string]any{"name": "p", "mode": "OIDC", "oidc_provider_arn": providerARN, "oidc_token_file": c.write(t, podToken, "token"), "ram_role_arn": podARN})
		}, want: session("pod", defaultSession)},
		"profile over a profile": {prepare: func(t *testing.T, c *cloud, _ *credentials.Options) {
			t.Helper()
			c.profiles(
				t, "c", with(map[string]any{"name": "a", "mode": "AK"}),
				map[string]any{"name": "b", "mode": "ChainableRamRoleArn", "source_profile": "a", "ram_role_arn": deployerARN},
				map[string]any{"name": "c", "mode": "ChainableRamRoleArn", "source_profile": "b", "ram_role_arn": auditorARN, "external_id": "x-1", "ram_session_name": "third"})
		}, want: session("auditor", "third")},
		"profile by a command": {prepare: profile(map[string]any{"name": "default", "mode": "External", "process_command": `echo {"mode":"AK","access_key_id":"` + eveID + `","access_key_secret":"` + eveSecret + `"}`}), want: eveARN},
		"profile of a login": {prepare: func(t *testing.T, c *cloud, _ *credentials.Options) {
			t.Helper()
			value, ends, err := c.client(t, ecs.StaticCredentials(eveID, eveSecret, "")).AssumeRole(t.Context(), ecs.RoleSession{RoleARN: deployerARN, SessionName: "sso"})
			if err != nil {
				t.Fatal(err)
			}
			c.profiles(t, "sso", map[string]any{
				"name": "sso", "mode": "CloudSSO", "access_key_id": value.AccessKeyID, "access_key_secret": value.AccessKeySecret, "sts_token": value.SecurityToken, "sts_expiration": ends.Unix(),
			})
		}, want: session("deployer", "sso")},
		"shared file": {prepare: func(t *testing.T, c *cloud, _ *credentials.Options) {
			t.Helper()
			c.write(t, "# mine\n[other]\ntype = access_key\n[default]\nenable = true\ntype = access_key\naccess_key_id = "+eveID+"\naccess_key_secret = "+eveSecret+"\n", ".alibabacloud", "credentials")
		}, want: eveARN},
		"shared file with a role": {prepare: func(t *testing.T, c *cloud, o *credentials.Options) {
			t.Helper()
			file := c.write(t, "[ci]\ntype=ram_role_arn\naccess_key_id="+eveID+"\naccess_key_secret="+eveSecret+"\nrole_arn="+deployerARN+"\nrole_session_name=ini\n", "shared")
			env := map[string]string{"ALIBABA_CLOUD_CREDENTIALS_FILE": file, "ALIBABA_CLOUD_PROFILE": "ci"}
			o.LookupEnv = func(name string) (string, bool) { value, set := env[name]; return value, set }
		}, want: session("deployer", "ini")},
		"shared file that is the command line tool's": {prepare: func(t *testing.T, c *cloud, o *credentials.Options) {
			t.Helper()
			file := c.write(t, `{"current":"x","profiles":[{"name":"x","mode":"AK","access_key_id":"`+eveID+`","access_key_secret":"`+eveSecret+`"}]}`, "shared.json")
			o.LookupEnv = func(name string) (string, bool) { return file, name == "ALIBABA_CLOUD_CREDENTIALS_FILE" }
		}, want: eveARN},
		"an empty profile is none":       {prepare: onInstance(map[string]any{"name": "default", "mode": "AK", "access_key_id": "", "access_key_secret": ""}), want: "acme-node-role"},
		"a profile that is switched off": {env: map[string]string{"ALIBABA_CLOUD_CLI_PROFILE_DISABLED": "true"}, prepare: onInstance(with(map[string]any{"mode": "AK"})), want: "acme-node-role"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCloud(t)
			options := c.options(test.env)
			if test.prepare != nil {
				test.prepare(t, c, &options)
			}
			if got, err := c.who(t, options); err != nil || got != test.want && !strings.Contains(got, ":assumed-role/"+test.want+"/") {
				t.Errorf("the calls are those of %q, want %q: %v", got, test.want, err)
			}
		})
	}
}

func profile(of map[string]any) func(*testing.T, *cloud, *credentials.Options) {
	return func(t *testing.T, c *cloud, _ *credentials.Options) {
		t.Helper()
		c.profiles(t, "default", of)
	}
}

func onInstance(of map[string]any) func(*testing.T, *cloud, *credentials.Options) {
	return func(t *testing.T, c *cloud, _ *credentials.Options) {
		t.Helper()
		c.instance(t)
		c.profiles(t, "default", of)
	}
}

// answeringKey is a credentials URI.
func answeringKey(t *testing.T, id, secret, token string, ends time.Time) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		expiration := ""
		if !ends.IsZero() {
			expiration = ends.UTC().Format(time.RFC3339)
		}
		_, _ = fmt.Fprintf(w, `{"Code":"Success","AccessKeyId":%q,"AccessKeySecret":%q,"SecurityToken":%q,"Expiration":%q}`, id, secret, token, expiration)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/key"
}

func TestTheRegionOfAProfile(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.profiles(t, "a", map[string]any{"name": "a", "region_id": "cn-beijing"}, map[string]any{"name": "b", "region_id": "cn-shanghai"})
	for name, test := range map[string]struct {
		env  map[string]string
		set  string
		want string
	}{
		"current":      {nil, "", "cn-beijing"},
		"configured":   {nil, "b", "cn-shanghai"},
		"environment":  {map[string]string{"ALIBABA_CLOUD_PROFILE": "b"}, "", "cn-shanghai"},
		"none such":    {nil, "c", ""},
		"switched off": {map[string]string{"ALIBABA_CLOUD_CLI_PROFILE_DISABLED": "true"}, "", ""},
	} {
		options := c.options(test.env)
		options.Profile = test.set
		if got := credentials.Region(options); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
