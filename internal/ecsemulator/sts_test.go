package ecsemulator_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	sdkv1 "github.com/aliyun/alibaba-cloud-sdk-go/sdk"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/auth/credentials"
	"github.com/aliyun/alibaba-cloud-sdk-go/services/sts"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

const (
	emulatorAccount = "acs:ram::" + ecsemulator.DefaultAccountID
	deployerArn     = emulatorAccount + ":role/deployer"
	providerArn     = emulatorAccount + ":oidc-provider/ack"
	podToken        = "header.payload.signature"
)

// trust reads a trust policy that lets a principal assume the role.
func trust(t *testing.T, principal, condition string) ecsemulator.Policy {
	t.Helper()
	var p ecsemulator.Policy
	text := `{"Version":"1","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":` + principal + `,"Condition":` + condition + `}]}`
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func deployer(t *testing.T, principal, condition string) ecsemulator.Role {
	t.Helper()
	return ecsemulator.Role{
		Name: "deployer", TrustPolicy: trust(t, principal, condition),
		Policies: []ecsemulator.Policy{policy(t, `{"Effect":"Allow","Action":["ecs:Describe*","ecs:RunInstances"],"Resource":"*"}`)},
	}
}

func assume(more values) values {
	return values{"RoleArn": deployerArn, "RoleSessionName": "night.shift"}.with(more)
}

// session gives a client that signs with what an action that assumes a role answered.
func session(t *testing.T, server *ecsemulator.Server, answer reply) (*client, values) {
	t.Helper()
	c := newClient(t, server)
	c.id, c.secret = answer.text(t, "Credentials", "AccessKeyId"), answer.text(t, "Credentials", "AccessKeySecret")
	return c, values{"SecurityToken": answer.text(t, "Credentials", "SecurityToken")}
}

func TestASessionMayWhatItsRoleMay(t *testing.T) {
	t.Parallel()
	server, _, eve := withUser(t, ecsemulator.Options{
		Roles: []ecsemulator.Role{deployer(t, `{"RAM":"`+emulatorAccount+`:root"}`, `{}`)},
	}, `{"Effect":"Allow","Action":"sts:AssumeRole","Resource":"acs:ram::*:role/deployer"}`)
	answer := eve.ok("AssumeRole", assume(values{"DurationSeconds": "900"}))
	if got := answer.text(t, "AssumedRoleUser", "Arn"); got != deployerArn+"/night.shift" {
		t.Errorf("Arn %s", got)
	}
	ends, err := time.Parse("2006-01-02T15:04:05Z", answer.text(t, "Credentials", "Expiration"))
	if left := time.Until(ends); err != nil || left < 14*time.Minute || left > 15*time.Minute {
		t.Errorf("expires in %s: %v", left, err)
	}
	c, token := session(t, server, answer)
	who := c.ok("GetCallerIdentity", token)
	if who.text(t, "IdentityType") != "AssumedRoleUser" || who.text(t, "Arn") != emulatorAccount+":assumed-role/deployer/night.shift" ||
		!strings.HasSuffix(who.text(t, "PrincipalId"), ":night.shift") {
		t.Errorf("identity %s", who.body)
	}
	id := c.ok("RunInstances", launch().with(token)).text(t, "InstanceIdSets", "InstanceIdSet", 0)
	step(t, server, time.Minute)
	denied := c.refused("DeleteInstance", values{"InstanceId": id, "Force": "true"}.with(token), "Forbidden.RAM", 403)
	if got := denied.text(t, "AccessDeniedDetail", "AuthPrincipalType"); got != "AssumedRoleUser" {
		t.Errorf("AuthPrincipalType %s", got)
	}
	if got := server.Journal()[0].Caller; got != emulatorAccount+":assumed-role/deployer/night.shift" {
		t.Errorf("created by %s", got)
	}
	narrow := eve.ok("AssumeRole", assume(values{
		"Policy": `{"Version":"1","Statement":[{"Effect":"Allow","Action":"ecs:*","Resource":"*"},{"Effect":"Deny","Action":"ecs:RunInstances","Resource":"*"}]}`,
	}))
	n, narrowToken := session(t, server, narrow)
	n.ok("DescribeInstances", narrowToken)
	n.refused("RunInstances", launch().with(narrowToken), "Forbidden.RAM", 403)
	n.refused("DeleteInstance", values{"InstanceId": id, "Force": "true"}.with(narrowToken), "Forbidden.RAM", 403)
	if err := server.ExpireAccessKey(c.id); err != nil {
		t.Fatal(err)
	}
	c.refused("DescribeInstances", token, "InvalidSecurityToken.Expired", 400)
	c.refused("DescribeInstances", values{"SecurityToken": "-"}, "MissingSecurityToken", 400)
}

// Sources: the AssumeRole page and the list of error codes of STS.
func TestAssumeRoleRefuses(t *testing.T) {
	t.Parallel()
	const may = `{"Effect":"Allow","Action":"sts:*","Resource":"*"}`
	root := `{"RAM":"` + emulatorAccount + `:root"}`
	for name, row := range map[string]struct {
		statement, principal, condition string
		own                             values
		asRoot                          bool
		code                            string
		status                          int
	}{
		"good":                     {},
		"the user by name":         {principal: `{"RAM":["` + emulatorAccount + `:user/eve"]}`},
		"with the external id":     {condition: `{"StringEquals":{"sts:ExternalId":"x"}}`, own: values{"ExternalId": "x"}},
		"no arn":                   {own: values{"RoleArn": "-"}, code: "MissingRoleArn", status: 400},
		"no session name":          {own: values{"RoleSessionName": "-"}, code: "MissingRoleSessionName", status: 400},
		"arn malformed":            {own: values{"RoleArn": "role/deployer"}, code: "InvalidParameter.RoleArn", status: 400},
		"session name malformed":   {own: values{"RoleSessionName": "a b"}, code: "InvalidParameter.RoleSessionName", status: 400},
		"session name too short":   {own: values{"RoleSessionName": "a"}, code: "InvalidParameter.RoleSessionName", status: 400},
		"too short":                {own: values{"DurationSeconds": "899"}, code: "InvalidParameter.DurationSeconds", status: 400},
		"too long":                 {own: values{"DurationSeconds": "3601"}, code: "InvalidParameter.DurationSeconds", status: 400},
		"policy malformed":         {own: values{"Policy": "{}"}, code: "InvalidParameter.PolicyGrammar", status: 400},
		"no such role":             {own: values{"RoleArn": emulatorAccount + ":role/nobody"}, code: "EntityNotExist.Role", status: 404},
		"a role of the catalogue":  {own: values{"RoleArn": emulatorAccount + ":role/acme-node-role"}, code: "NoPermission", status: 403},
		"as the account":           {asRoot: true, code: "NoPermission", status: 403},
		"without the permission":   {statement: `{"Effect":"Allow","Action":"ecs:*","Resource":"*"}`, code: "NoPermission", status: 403},
		"for another role":         {statement: `{"Effect":"Allow","Action":"sts:AssumeRole","Resource":"*:role/other"}`, code: "NoPermission", status: 403},
		"without the trust":        {principal: `{"RAM":"` + emulatorAccount + `:user/bob"}`, code: "NoPermission", status: 403},
		"a role for ECS":           {principal: `{"Service":"ecs.aliyuncs.com"}`, code: "NoPermission", status: 403},
		"with another external id": {condition: `{"StringEquals":{"sts:ExternalId":"x"}}`, own: values{"ExternalId": "y"}, code: "NoPermission", status: 403},
		"without the external id":  {condition: `{"StringEquals":{"sts:ExternalId":"x"}}`, code: "NoPermission", status: 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statement, principal, condition := may, root, `{}`
			for _, set := range []struct{ target, value *string }{
				{&statement, &row.statement}, {&principal, &row.principal}, {&condition, &row.condition},
			} {
				if *set.value != "" {
					*set.target = *set.value
				}
			}
			_, owner, eve := withUser(t, ecsemulator.Options{Roles: []ecsemulator.Role{deployer(t, principal, condition)}}, statement)
			c := eve
			if row.asRoot {
				c = owner
			}
			if row.code == "" {
				c.ok("AssumeRole", assume(row.own))
				return
			}
			answer := c.refused("AssumeRole", assume(row.own), row.code, row.status)
			if got := answer.text(t, "HostId"); !strings.HasPrefix(got, "sts.") {
				t.Errorf("HostId %s", got)
			}
		})
	}
}

func withProvider(t *testing.T) *ecsemulator.Server {
	t.Helper()
	condition := `{"StringEquals":{"oidc:aud":"sts.aliyuncs.com","oidc:iss":"https://oidc.example","oidc:sub":"system:serviceaccount:ci:runner"}}`
	return still(t, ecsemulator.Options{
		Roles: []ecsemulator.Role{deployer(t, `{"Federated":"`+providerArn+`"}`, condition)},
		IdentityProviders: []ecsemulator.IdentityProvider{{
			Name: "ack", Issuer: "https://oidc.example", ClientIDs: []string{"sts.aliyuncs.com"},
			Tokens: []ecsemulator.IdentityToken{
				{Text: podToken, Subject: "system:serviceaccount:ci:runner", Audience: "sts.aliyuncs.com"},
				{Text: "stranger", Subject: "system:serviceaccount:ci:other", Audience: "sts.aliyuncs.com"},
				{Text: "audience", Subject: "system:serviceaccount:ci:runner", Audience: "elsewhere"},
				{Text: "expired", Subject: "system:serviceaccount:ci:runner", Audience: "sts.aliyuncs.com", Expires: time.Now().Add(-time.Hour)},
			},
		}},
	})
}

// unsigned makes the call that the SDKs make: protocol in the query, the rest in a form, no key, no signature.
func unsigned(t *testing.T, server *ecsemulator.Server, own values) reply {
	t.Helper()
	form := url.Values{}
	for name, value := range (values{
		"OIDCProviderArn": providerArn, "RoleArn": deployerArn, "OIDCToken": podToken, "RoleSessionName": "pod",
	}).with(own) {
		form.Set(name, value)
	}
	query := "Action=AssumeRoleWithOIDC&Version=2015-04-01&Format=JSON&Timestamp=" + url.QueryEscape(time.Now().UTC().Format(time.RFC3339))
	answer, err := send(t.Context(), http.MethodPost, server.URL()+"/?"+query, form.Encode())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// unsignedByHeaders makes the call that the newer SDKs make: the protocol is in x-acs headers, nothing is signed.
func unsignedByHeaders(t *testing.T, server *ecsemulator.Server) reply {
	t.Helper()
	query := url.Values{"OIDCProviderArn": {providerArn}, "RoleArn": {deployerArn}, "OIDCToken": {podToken}, "RoleSessionName": {"pod"}}
	_, body := metadata(t, http.MethodPost, server.URL()+"/?"+query.Encode(), map[string]string{
		"x-acs-action": "AssumeRoleWithOIDC", "x-acs-version": "2015-04-01", "x-acs-date": time.Now().UTC().Format(time.RFC3339),
	})
	answer := reply{body: []byte(body)}
	if err := json.Unmarshal(answer.body, &answer.document); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return answer
}

// Sources: the AssumeRoleWithOIDC page and the list of error codes of STS.
func TestAssumeRoleWithOIDC(t *testing.T) {
	t.Parallel()
	server := withProvider(t)
	for name, row := range map[string]struct {
		own    values
		code   string
		status int
	}{
		"no provider":       {values{"OIDCProviderArn": "-"}, "MissingOIDCProviderArn", 400},
		"provider's form":   {values{"OIDCProviderArn": "ack"}, "InvalidParameter.OIDCProviderArn", 400},
		"another provider":  {values{"OIDCProviderArn": emulatorAccount + ":oidc-provider/x"}, "AuthenticationFail.NoPermission", 401},
		"no token":          {values{"OIDCToken": "-"}, "AuthenticationFail.OIDCToken.Invalid", 401},
		"unknown token":     {values{"OIDCToken": "made.up.here"}, "AuthenticationFail.OIDCToken.Invalid", 401},
		"expired token":     {values{"OIDCToken": "expired"}, "AuthenticationFail.OIDCToken.Expired", 401},
		"another audience":  {values{"OIDCToken": "audience"}, "AuthenticationFail.OIDCToken.AudienceNotMatch", 401},
		"another subject":   {values{"OIDCToken": "stranger"}, "AuthenticationFail.NoPermission", 401},
		"no such role":      {values{"RoleArn": emulatorAccount + ":role/nobody"}, "EntityNotExist.Role", 404},
		"overlong token":    {values{"OIDCToken": strings.Repeat("a", 20001)}, "InvalidParameter", 400},
		"unknown parameter": {values{"Colour": "red"}, "UnsupportedParameter", 400},
	} {
		if answer := unsigned(t, server, row.own); answer.Code != row.code || answer.status != row.status {
			t.Errorf("%s: %d %s, want %d %s", name, answer.status, answer.body, row.status, row.code)
		}
	}
	answer := unsigned(t, server, nil)
	if answer.status != 200 || answer.text(t, "OIDCTokenInfo", "Issuer") != "https://oidc.example" {
		t.Fatalf("answered %d %s", answer.status, answer.body)
	}
	c, token := session(t, server, answer)
	if _, again := session(t, server, unsignedByHeaders(t, server)); again["SecurityToken"] == token["SecurityToken"] {
		t.Error("two sessions have one token")
	}
	if got := c.ok("GetCallerIdentity", token).text(t, "Arn"); got != emulatorAccount+":assumed-role/deployer/pod" {
		t.Errorf("Arn %s", got)
	}
	c.ok("DescribeInstances", token)
	for _, call := range server.Calls() {
		if call.Parameters["OIDCToken"] != "" && call.Parameters["OIDCToken"] != "***" {
			t.Errorf("the log keeps the token %s", call.Parameters["OIDCToken"])
		}
	}
}

func TestRAMOverTheControlAddress(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{AccessKeys: []ecsemulator.AccessKey{{ID: "eve", Secret: "s", UserName: "eve"}}})
	ctx := t.Context()
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	c := newClient(t, server)
	c.id, c.secret = "eve", "s"
	c.refused("AssumeRole", assume(nil), "EntityNotExist.Role", 404)
	if err := control.SetRole(ctx, deployer(t, `{"RAM":"*"}`, `{}`)); err != nil {
		t.Fatal(err)
	}
	c.ok("AssumeRole", assume(nil))
	provider := ecsemulator.IdentityProvider{
		Name: "ack", Issuer: "https://oidc.example", ClientIDs: []string{"x"}, Tokens: []ecsemulator.IdentityToken{{Text: podToken, Audience: "x"}},
	}
	if err := control.SetIdentityProvider(ctx, provider); err != nil {
		t.Fatal(err)
	}
	if err := control.SetRole(ctx, deployer(t, `{"Federated":"`+providerArn+`"}`, `{}`)); err != nil {
		t.Fatal(err)
	}
	c.refused("AssumeRole", assume(nil), "NoPermission", 403)
	if answer := unsigned(t, server, nil); answer.status != 200 {
		t.Errorf("%s", answer.body)
	}
	providers, err := control.IdentityProviders(ctx)
	if err != nil || len(providers) != 1 || len(providers[0].Tokens) != 0 {
		t.Errorf("providers %+v: %v", providers, err)
	}
	if roles, err := control.Roles(ctx); err != nil || len(roles) != 1 || roles[0].Name != "deployer" {
		t.Errorf("roles %+v: %v", roles, err)
	}
	for _, err := range []error{control.RemoveRole(ctx, "", "Deployer"), control.RemoveIdentityProvider(ctx, "", "ack")} {
		if err != nil {
			t.Error(err)
		}
	}
	for name, err := range map[string]error{
		"role without trust":     control.SetRole(ctx, ecsemulator.Role{Name: "x"}),
		"role without name":      control.SetRole(ctx, ecsemulator.Role{TrustPolicy: trust(t, `{"RAM":"*"}`, `{}`)}),
		"role of a long session": control.SetRole(ctx, ecsemulator.Role{Name: "x", TrustPolicy: trust(t, `{"RAM":"*"}`, `{}`), MaxSessionSeconds: 50000}),
		"provider of nothing":    control.SetIdentityProvider(ctx, ecsemulator.IdentityProvider{Name: "x"}),
		"user without name":      control.SetUser(ctx, ecsemulator.User{}),
		"policy of nothing":      control.SetUser(ctx, ecsemulator.User{Name: "x", Policies: []ecsemulator.Policy{{}}}),
	} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// The vendor's SDK assumes a role and signs with what it got.
func TestTheSDKAssumesARole(t *testing.T) {
	t.Parallel()
	server, _, _ := withUser(t, ecsemulator.Options{Roles: []ecsemulator.Role{deployer(t, `{"RAM":"`+emulatorAccount+`:user/eve"}`, `{}`)}},
		`{"Effect":"Allow","Action":"sts:AssumeRole","Resource":"*"}`)
	client, err := sts.NewClientWithOptions("cn-hangzhou", sdkv1.NewConfig(), credentials.NewAccessKeyCredential("eve", "s"))
	if err != nil {
		t.Fatal(err)
	}
	request := sts.CreateAssumeRoleRequest()
	request.RoleArn, request.RoleSessionName, request.Domain = deployerArn, "sdk", server.Endpoint()
	assumed, err := client.AssumeRole(request)
	if err != nil {
		t.Fatal(err)
	}
	got := assumed.Credentials
	client, err = sts.NewClientWithOptions("cn-hangzhou", sdkv1.NewConfig(),
		credentials.NewStsTokenCredential(got.AccessKeyId, got.AccessKeySecret, got.SecurityToken))
	if err != nil {
		t.Fatal(err)
	}
	identity := sts.CreateGetCallerIdentityRequest()
	identity.Domain = server.Endpoint()
	who, err := client.GetCallerIdentity(identity)
	if err != nil || who.IdentityType != "AssumedRoleUser" || who.AccountId != ecsemulator.DefaultAccountID {
		t.Errorf("%v %+v", err, who)
	}
}
