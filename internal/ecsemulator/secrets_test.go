package ecsemulator_test

import (
	"encoding/base64"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// secretForm is one way in which secrets can travel. Source of the parameters: ecs-api 1.2, 2.1, 2.8, 2.9, 2.21 and 6.5.
type secretForm struct {
	action string
	own    values
	// form sends the parameters in the body.
	form bool
	// spoil breaks the request after it was signed.
	spoil func(url.Values)
}

const (
	secretData  = "Marker-1-in-user-data"
	secretWord  = "Marker-2-Passw0rd"
	secretToken = "Marker-3-security-token"
	secretOIDC  = "Marker-4-oidc-token-that-is-long-enough"
	secretKey   = "Marker-5-access-key-secret"
)

func secretForms() map[string]secretForm {
	encoded := base64.StdEncoding.EncodeToString([]byte(secretData))
	both := launch().with(values{"UserData": encoded, "Password": secretWord})
	modify := func(more values) values { return values{"InstanceId": "{id}"}.with(more) }
	return map[string]secretForm{
		"launch in the query":      {action: "RunInstances", own: both},
		"launch in a form":         {action: "RunInstances", own: both, form: true},
		"launch as XML":            {action: "RunInstances", own: both.with(values{"Format": "XML"})},
		"refused launch":           {action: "RunInstances", own: both.with(values{"ImageId": "m-none"})},
		"dry run":                  {action: "RunInstances", own: both.with(values{"DryRun": "true"})},
		"password that is too bad": {action: "RunInstances", own: both.with(values{"Password": "Marker-2-Passw0rd-that-is-much-too-long-to-be-taken"})},
		"data that is no Base64":   {action: "RunInstances", own: both.with(values{"UserData": secretData + "!"})},
		"data that is overlong":    {action: "RunInstances", own: both.with(values{"UserData": strings.Repeat(secretData, 4000)})},
		"data as a list":           {action: "RunInstances", own: launch().with(values{"UserData.1": encoded})},
		"data in lower case":       {action: "RunInstances", own: launch().with(values{"userdata": encoded, "password": secretWord})},
		"data under another name":  {action: "RunInstances", own: launch().with(values{"CustomData": encoded, "AdminPass": secretWord})},
		"data in another action":   {action: "DescribeInstances", own: values{"UserData": encoded, "Password": secretWord}},
		"unknown action":           {action: "LaunchRocket", own: values{"Password": secretWord}},
		"unknown region":           {action: "RunInstances", own: both.with(values{"RegionId": "mars-1"})},
		"password given twice":     {action: "RunInstances", own: both, spoil: func(v url.Values) { v.Add("Password", secretWord) }},
		"wrong signature":          {action: "RunInstances", own: both, spoil: func(v url.Values) { v.Set("Signature", "x") }},
		"no signature":             {action: "RunInstances", own: both, spoil: func(v url.Values) { v.Del("Signature") }},
		"unknown key":              {action: "RunInstances", own: both.with(values{"AccessKeyId": "nobody"})},
		"change of a password":     {action: "ModifyInstanceAttribute", own: modify(values{"Password": secretWord})},
		"change of data":           {action: "ModifyInstanceAttribute", own: modify(values{"UserData": encoded})},
		"change of what is not":    {action: "ModifyInstanceAttribute", own: values{"InstanceId": "i-none", "Password": secretWord}},
		"new system disk":          {action: "ReplaceSystemDisk", own: modify(values{"Password": secretWord})},
		"reading of data":          {action: "DescribeUserData", own: modify(nil)},
		"temporary key":            {action: "DescribeRegions", own: values{"AccessKeyId": "STS.good", "SecurityToken": secretToken}},
		"token of another key":     {action: "DescribeRegions", own: values{"SecurityToken": secretToken}},
		"token by another name":    {action: "DescribeRegions", own: values{"securitytoken": secretToken}},
		"OIDC token":               {action: "AssumeRoleWithOIDC", own: values{"OIDCToken": secretOIDC, "RoleArn": "acs:ram::1:role/x", "OIDCProviderArn": "acs:ram::1:oidc-provider/x", "RoleSessionName": "session"}},
		"OIDC token not declared":  {action: "AssumeRole", own: values{"OIDCToken": secretOIDC}},
	}
}

func TestNoFormOfASecretIsSeenInLogOrControlAPI(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	server := still(t, ecsemulator.Options{
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		AccessKeys: []ecsemulator.AccessKey{
			{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret},
			{ID: "STS.good", Secret: secretKey, SecurityToken: secretToken},
		},
	})
	c := newClient(t, server)
	id := c.run(nil)
	for name, form := range secretForms() {
		own := form.own.filledIn(strings.NewReplacer("{id}", id))
		signer := *c
		if own["AccessKeyId"] == "STS.good" {
			signer.secret = secretKey
		}
		all := signer.signed(http.MethodPost, form.action, own)
		if form.spoil != nil {
			form.spoil(all)
		}
		query, body := all.Encode(), ""
		if form.form {
			query, body = "", query
		}
		answer, err := send(t.Context(), http.MethodPost, server.URL()+"/?"+query, body)
		if err != nil || answer.status >= 500 {
			t.Errorf("%s: %v %d %s", name, err, answer.status, answer.body)
		}
	}
	addRule(t, server, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: "InternalError", HTTPStatus: 500, Parameters: values{"Password": secretWord}})
	c.refused("RunInstances", launch().with(values{"Password": secretWord}), "InternalError", 500)
	// A raw request that no client library would send: the password broken apart by what it holds.
	if _, err := send(t.Context(), http.MethodPost, server.URL()+"/?Action=RunInstances&Password="+secretWord+"%zz", ""); err != nil {
		t.Error(err)
	}
	seen := map[string]string{"log": log.String()}
	for _, path := range []string{"/", "/calls", "/instances", "/journal", "/counts", "/counts/answers", "/holds", "/environment", "/ram/keys"} {
		_, seen[path] = fetchPage(t.Context(), t, server.ControlURL()+path)
	}
	if !strings.Contains(seen["/calls"], "sha256:") || !strings.Contains(seen["/calls"], `"Password":"***"`) {
		t.Error("this test looks in the wrong place")
	}
	marks := map[string]string{
		"user data": secretData, "encoded user data": base64.StdEncoding.EncodeToString([]byte(secretData))[:20], "password": "Marker-2-", "security token": "Marker-3-",
		"OIDC token": "Marker-4-", "access key secret": secretKey,
	}
	for place, text := range seen {
		for mark := range maps.Keys(marks) {
			if strings.Contains(text, marks[mark]) {
				t.Errorf("the %s is shown by %s", mark, place)
			}
		}
	}
}

// Source: ecs-api 1.4: the message of SignatureDoesNotMatch ends in the string to sign, with all parameters. It is the one answer that
// repeats what the caller sent; every other refusal names parameters, not values.
func TestRefusalsRepeatNoSecret(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(nil)
	for name, form := range secretForms() {
		if form.spoil != nil || form.action == "DescribeUserData" || form.own["AccessKeyId"] == "STS.good" {
			continue
		}
		answer := c.call(form.action, form.own.filledIn(strings.NewReplacer("{id}", id)))
		for _, mark := range []string{"Marker-", base64.StdEncoding.EncodeToString([]byte(secretData))[:20]} {
			if strings.Contains(string(answer.body), mark) {
				t.Errorf("%s: the answer repeats a secret: %s", name, answer.body)
			}
		}
	}
}
