package credentials_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/credentials"
)

// wantRefusal checks an error and that it shows none of the secrets.
func wantRefusal(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	for _, secret := range []string{eveSecret, eveID, podToken, "half-a-secret"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q shows %q", err, secret)
		}
	}
}

// What is set in part is refused when the provider is configured, before any call.
func TestCredentialsThatAreSetInPartAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		env     map[string]string
		options func(o *credentials.Options)
		profile map[string]any
		file    string
		want    []string
	}{
		"ID without secret":   {options: func(o *credentials.Options) { o.AccessKeyID = eveID }, want: []string{"without its secret"}},
		"secret without ID":   {options: func(o *credentials.Options) { o.AccessKeySecret = eveSecret }, want: []string{"without its ID"}},
		"token without a key": {options: func(o *credentials.Options) { o.SecurityToken = podToken }, want: []string{"security token", "AccessKey ID"}},
		"two sources": {options: func(o *credentials.Options) {
			o.AccessKeyID, o.AccessKeySecret, o.InstanceRole = eveID, eveSecret, "r"
		}, want: []string{"twice", "an AccessKey", "an instance role"}},
		"role without ARN": {options: func(o *credentials.Options) {
			o.AccessKeyID, o.AccessKeySecret, o.Roles = eveID, eveSecret, []credentials.Role{{}}
		}, want: []string{"role 1", "no ARN"}},
		"OIDC without a token": {options: func(o *credentials.Options) {
			o.OIDC = &credentials.OIDCRole{Role: credentials.Role{ARN: podARN}, ProviderARN: providerARN}
		}, want: []string{"token or token file"}},
		"URI that is none":              {options: func(o *credentials.Options) { o.URI = "user:half-a-secret@host" }, want: []string{"credentials URI is malformed"}},
		"no such profile":               {options: func(o *credentials.Options) { o.Profile = "nobody" }, profile: map[string]any{"name": "p"}, want: []string{`"nobody"`, "config.json"}},
		"no such file":                  {options: func(o *credentials.Options) { o.Profile = "nobody" }, want: []string{"config.json", "no such file"}},
		"environment ID alone":          {env: map[string]string{"ALIBABA_CLOUD_ACCESS_KEY_ID": eveID}, want: []string{"ALIBABA_CLOUD_ACCESS_KEY_ID is set but ALIBABA_CLOUD_ACCESS_KEY_SECRET is not"}},
		"environment secret alone":      {env: map[string]string{"ALICLOUD_SECRET_KEY": eveSecret}, want: []string{"ALICLOUD_SECRET_KEY is set but ALICLOUD_ACCESS_KEY is not"}},
		"another family is no half":     {env: map[string]string{"ALIBABACLOUD_ACCESS_KEY_ID": eveID, "ALICLOUD_SECRET_KEY": eveSecret}, want: []string{"ALICLOUD_ACCESS_KEY is not"}},
		"a pod without its role":        {env: map[string]string{"ALIBABA_CLOUD_OIDC_TOKEN_FILE": "/t", "ALIBABA_CLOUD_OIDC_PROVIDER_ARN": providerARN}, want: []string{"ALIBABA_CLOUD_ROLE_ARN is not set"}},
		"expiration that is no number":  {env: map[string]string{"ALICLOUD_ACCESS_KEY": eveID, "ALICLOUD_SECRET_KEY": eveSecret, "ALICLOUD_ASSUME_ROLE_ARN": deployerARN, "ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION": "soon"}, want: []string{"ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION"}},
		"profile without secret":        {profile: map[string]any{"name": "p", "mode": "AK", "access_key_id": eveID}, want: []string{`profile "p"`, "access_key_secret is missing"}},
		"profile without token":         {profile: map[string]any{"name": "p", "mode": "StsToken", "access_key_id": eveID, "access_key_secret": eveSecret}, want: []string{"sts_token is missing"}},
		"profile without role":          {profile: map[string]any{"name": "p", "mode": "RamRoleArn", "access_key_id": eveID, "access_key_secret": eveSecret}, want: []string{"ram_role_arn is missing"}},
		"profile without source":        {profile: map[string]any{"name": "p", "mode": "ChainableRamRoleArn", "ram_role_arn": deployerARN}, want: []string{"source_profile is missing"}},
		"profile without command":       {profile: map[string]any{"name": "p", "mode": "External"}, want: []string{"process_command is missing"}},
		"profile that never logged in":  {profile: map[string]any{"name": "p", "mode": "CloudSSO"}, want: []string{"log in again"}},
		"profile of an unknown mode":    {profile: map[string]any{"name": "p", "mode": "RsaKeyPair"}, want: []string{`"RsaKeyPair" is not supported`}},
		"profile whose source is it":    {profile: map[string]any{"name": "p", "mode": "ChainableRamRoleArn", "ram_role_arn": deployerARN, "source_profile": "p"}, want: []string{"its source is itself: p -> p"}},
		"file that is no JSON":          {file: `{"current": "p", "profiles": [{"name": "p", "access_key_secret": "half-a-secret`, want: []string{"config.json is not the JSON"}},
		"file of another shape":         {file: `{"current": "p", "profiles": [{"name": "p", "access_key_secret": 77}]}`, want: []string{"config.json is not the JSON"}},
		"metadata that is switched off": {env: map[string]string{"ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true"}, options: func(o *credentials.Options) { o.InstanceRole = "r" }, want: []string{"ALIBABA_CLOUD_ECS_METADATA_DISABLED"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCloud(t)
			if test.profile != nil {
				c.profiles(t, "p", test.profile)
			}
			if test.file != "" {
				c.write(t, test.file, ".aliyun", "config.json")
			}
			options := c.options(test.env)
			if test.options != nil {
				test.options(&options)
			}
			_, err := credentials.New(options)
			wantRefusal(t, err, test.want...)
			if calls := c.Counts(); len(calls) > 0 {
				t.Errorf("called %v", calls)
			}
		})
	}
}

// A circle of profiles ends, whoever is in it.
func TestACircleOfProfilesIsRefused(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.profiles(
		t, "a", map[string]any{"name": "a", "mode": "ChainableRamRoleArn", "ram_role_arn": deployerARN, "source_profile": "b"},
		map[string]any{"name": "b", "mode": "ChainableRamRoleArn", "ram_role_arn": deployerARN, "source_profile": "a"})
	_, err := credentials.New(c.options(nil))
	wantRefusal(t, err, "a -> b -> a")
}

func TestSourcesThatAreRefusedSayWhy(t *testing.T) {
	t.Parallel()
	answering := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, body) // The test looks at what the client makes of it.
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	for name, test := range map[string]struct {
		env     map[string]string
		options func(o *credentials.Options)
		want    []string
	}{
		"nothing anywhere": {options: func(o *credentials.Options) { o.MetadataEndpoint = answering(404, "") }, want: []string{
			"no credentials", "ALIBABA_CLOUD_ACCESS_KEY_ID", "ALICLOUD_SECRET_KEY", "profile", "HTTP 404",
		}},
		"nothing, and no metadata":  {env: map[string]string{"ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true"}, want: []string{"no credentials", "switched off"}},
		"URI that refuses":          {options: func(o *credentials.Options) { o.URI = answering(403, "half-a-secret") }, want: []string{"HTTP 403"}},
		"URI that answers nonsense": {options: func(o *credentials.Options) { o.URI = answering(200, "half-a-secret") }, want: []string{"not the JSON of a key"}},
		"URI that answers half":     {options: func(o *credentials.Options) { o.URI = answering(200, `{"AccessKeyId":"half-a-secret"}`) }, want: []string{"no whole key"}},
		"URI that says no":          {options: func(o *credentials.Options) { o.URI = answering(200, `{"Code":"Fail half-a-secret"}`) }, want: []string{"there is no key"}},
		"nobody at the URI":         {options: func(o *credentials.Options) { o.URI = "http://127.0.0.1:1/key?token=half-a-secret" }, want: []string{"no answer"}},
		"a role that does not exist": {options: func(o *credentials.Options) {
			o.AccessKeyID, o.AccessKeySecret, o.Roles = eveID, eveSecret, []credentials.Role{{ARN: account + ":role/nobody"}}
		}, want: []string{"role/nobody", "EntityNotExist.Role", "request"}},
		"a token that is not known": {options: func(o *credentials.Options) {
			o.OIDC = &credentials.OIDCRole{Role: credentials.Role{ARN: podARN}, ProviderARN: providerARN, Token: "half-a-secret"}
		}, want: []string{"AuthenticationFail.OIDCToken.Invalid"}},
		"a token file that is gone": {options: func(o *credentials.Options) {
			o.OIDC = &credentials.OIDCRole{Role: credentials.Role{ARN: podARN}, ProviderARN: providerARN, TokenFile: "/nowhere/token"}
		}, want: []string{"/nowhere/token"}},
		"an instance without a role": {options: func(o *credentials.Options) { o.InstanceRole = "acme-node-role" }, want: []string{"metadata", "HTTP 404"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCloud(t)
			options := c.options(test.env)
			if test.options != nil {
				test.options(&options)
			}
			_, err := c.who(t, options)
			wantRefusal(t, err, test.want...)
			if calls := c.Counts()["GetCallerIdentity"]; calls > 0 {
				t.Errorf("%d calls without a key", calls)
			}
		})
	}
}

// The plain mode of the metadata service is used where the hardened one is not
// known, unless it is forbidden.
func TestThePlainModeOfTheMetadataServiceCanBeForbidden(t *testing.T) {
	t.Parallel()
	var tokens, plain int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPut:
			tokens++
			w.WriteHeader(http.StatusNotFound)
		default:
			plain++
			_, _ = fmt.Fprintf(w, `{"Code":"Success","AccessKeyId":%q,"AccessKeySecret":%q}`, eveID, eveSecret)
		}
	}))
	t.Cleanup(server.Close)
	c := newCloud(t)
	options := c.options(nil)
	options.InstanceRole, options.MetadataEndpoint = "r", server.URL
	if got, err := c.who(t, options); err != nil || got != eveARN || tokens != 1 || plain != 1 {
		t.Errorf("%q, %d tokens, %d plain calls: %v", got, tokens, plain, err)
	}
	options.LookupEnv = func(name string) (string, bool) { return "true", name == "ALIBABA_CLOUD_IMDSV1_DISABLED" }
	_, err := c.who(t, options)
	wantRefusal(t, err, "HTTP 404")
	if plain != 1 {
		t.Error("the plain mode was used")
	}
}

func TestACommandThatFailsShowsNothingOfWhatItPrinted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("echo"); err != nil {
		t.Skip("an external command that prints is what is tested, and this system has no echo as a program (Windows)")
	}
	for command, want := range map[string]string{
		"echo half-a-secret":             "did not print the JSON of a key",
		"/nowhere/credential-helper run": "/nowhere/credential-helper",
	} {
		c := newCloud(t)
		c.profiles(t, "p", map[string]any{"name": "p", "mode": "External", "process_command": command})
		_, err := c.who(t, c.options(nil))
		wantRefusal(t, err, want)
	}
}

func TestOptionsShowNothingOfThemselves(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	options := c.options(nil)
	options.AccessKeyID, options.AccessKeySecret, options.SecurityToken = eveID, eveSecret, podToken
	found, err := credentials.New(options)
	if err != nil {
		t.Fatal(err)
	}
	value, err := found.Credentials(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	role := credentials.OIDCRole{Role: credentials.Role{ARN: podARN}, Token: podToken}
	for _, shown := range []any{options, &options, found, value, role, &role} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			text := fmt.Sprintf(verb, shown)
			for _, secret := range []string{eveID, eveSecret, podToken} {
				if strings.Contains(text, secret) {
					t.Errorf("%T with %s shows %q: %s", shown, verb, secret, text)
				}
			}
		}
	}
}
