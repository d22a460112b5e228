package ecsemulator_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// policy reads a policy document.
func policy(t *testing.T, text string) ecsemulator.Policy {
	t.Helper()
	p, err := ecsemulator.ParsePolicy(`{"Version": "1", "Statement": [` + text + `]}`)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withUser starts a server with a RAM user, and gives clients of the account and of the user.
func withUser(t *testing.T, options ecsemulator.Options, statements ...string) (*ecsemulator.Server, *client, *client) {
	t.Helper()
	options.AccessKeys = []ecsemulator.AccessKey{
		{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}, {ID: "eve", Secret: "s", UserName: "eve"},
	}
	user := ecsemulator.User{Name: "eve"}
	for _, statement := range statements {
		user.Policies = append(user.Policies, policy(t, statement))
	}
	options.Users = []ecsemulator.User{user}
	server := still(t, options)
	eve := newClient(t, server)
	eve.id, eve.secret = "eve", "s"
	return server, newClient(t, server), eve
}

// Source: the pages "Policy structure and syntax" and "Policy evaluation".
func TestPolicies(t *testing.T) {
	t.Parallel()
	const forbidden = "Forbidden.RAM"
	for name, row := range map[string]struct {
		statements []string
		action     string
		own        values
		code       string
		denial     string
	}{
		"nothing allowed":  {nil, "StopInstance", nil, forbidden, "ImplicitDeny"},
		"exact action":     {[]string{`{"Effect":"Allow","Action":"ecs:StopInstance","Resource":"*"}`}, "StopInstance", nil, "", ""},
		"any case":         {[]string{`{"Effect":"Allow","Action":"ECS:stopinstance","Resource":"*"}`}, "StopInstance", nil, "", ""},
		"wildcard":         {[]string{`{"Effect":"Allow","Action":"ecs:S*Instance","Resource":"*"}`}, "StopInstance", nil, "", ""},
		"all":              {[]string{`{"Effect":"Allow","Action":["*"],"Resource":["*"]}`}, "StopInstance", nil, "", ""},
		"another action":   {[]string{`{"Effect":"Allow","Action":"ecs:Describe*","Resource":"*"}`}, "StopInstance", nil, forbidden, "ImplicitDeny"},
		"another product":  {[]string{`{"Effect":"Allow","Action":"vpc:*","Resource":"*"}`}, "StopInstance", nil, forbidden, "ImplicitDeny"},
		"deny beats allow": {[]string{`{"Effect":"Deny","Action":"ecs:Stop*","Resource":"*"}`, `{"Effect":"Allow","Action":"*","Resource":"*"}`}, "StopInstance", nil, forbidden, "ExplicitDeny"},
		"the resource": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"acs:ecs:cn-hangzhou:` + ecsemulator.DefaultAccountID + `:instance/i-*"}`},
			"StopInstance", nil, "", "",
		},
		"another resource": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"acs:ecs:*:*:instance/i-other"}`}, "StopInstance", nil, forbidden, "ImplicitDeny",
		},
		"the tag": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringEquals":{"acs:ResourceTag/team":["a","b"]}}}`},
			"StopInstance", nil, "", "",
		},
		"another tag": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringEquals":{"ecs:tag/team":"c"}}}`},
			"StopInstance", nil, forbidden, "ImplicitDeny",
		},
		"not the tag": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringNotEquals":{"acs:ResourceTag/team":"a"}}}`},
			"StopInstance", nil, forbidden, "ImplicitDeny",
		},
		"tag like": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringLike":{"acs:ResourceTag/team":"*"}}}`},
			"StopInstance", nil, "", "",
		},
		"launch without the tag": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringEqualsIgnoreCase":{"acs:RequestTag/team":"A"}}}`},
			"RunInstances", launch(), forbidden, "ImplicitDeny",
		},
		"launch with the tag": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringEqualsIgnoreCase":{"acs:RequestTag/team":"A"}}}`},
			"RunInstances", launch().with(values{"Tag.1.Key": "team", "Tag.1.Value": "a"}), "", "",
		},
		"launch into the resource group": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringEquals":{"acs:ResourceGroupId":"rg-acme"}}}`},
			"RunInstances", launch().with(values{"ResourceGroupId": "rg-acme"}), "", "",
		},
		"launch into no resource group": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringEquals":{"acs:ResourceGroupId":"rg-acme"}}}`},
			"RunInstances", launch(), forbidden, "ImplicitDeny",
		},
		"another resource group": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringEquals":{"acs:ResourceGroupId":"rg-other"}}}`},
			"StopInstance", nil, forbidden, "ImplicitDeny",
		},
		"the resource group": {
			[]string{`{"Effect":"Allow","Action":"ecs:*","Resource":"*","Condition":{"StringEquals":{"acs:ResourceGroupId":"rg-acme"}}}`},
			"StopInstance", nil, "", "",
		},
		"VPC":              {[]string{`{"Effect":"Allow","Action":"vpc:DescribeVSwitches","Resource":"acs:vpc:*:*:vswitch/*"}`}, "DescribeVSwitches", values{}, "", ""},
		"VPC denied":       {nil, "DescribeVSwitches", values{}, forbidden, "ImplicitDeny"},
		"identity is free": {nil, "GetCallerIdentity", values{}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, owner, eve := withUser(t, ecsemulator.Options{}, row.statements...)
			id := owner.run(values{"Tag.1.Key": "team", "Tag.1.Value": "a", "ResourceGroupId": "rg-acme"})
			step(t, server, time.Minute)
			own := row.own
			if own == nil {
				own = values{"InstanceId": id}
			}
			if row.code == "" {
				eve.ok(row.action, own)
				return
			}
			before := len(server.Journal())
			answer := eve.refused(row.action, own, row.code, 403)
			if got := answer.text(t, "AccessDeniedDetail", "NoPermissionType"); got != row.denial {
				t.Errorf("NoPermissionType %s", got)
			}
			if got := answer.text(t, "AccessDeniedDetail", "AuthPrincipalDisplayName"); got != "eve" {
				t.Errorf("AuthPrincipalDisplayName %s", got)
			}
			if len(server.Journal()) != before {
				t.Error("a denied call had an effect")
			}
		})
	}
}

func TestPoliciesNameDisks(t *testing.T) {
	t.Parallel()
	server, owner, eve := withUser(t, ecsemulator.Options{},
		`{"Effect":"Allow","Action":"ecs:DeleteDisk","Resource":"acs:ecs:*:*:disk/*","Condition":{"StringEquals":{"acs:ResourceTag/team":"a"}}}`)
	disks := map[string]string{}
	for _, team := range []string{"a", "b"} {
		id := owner.run(values{"DataDisk.1.Size": "40", "DataDisk.1.DeleteWithInstance": "false", "Tag.1.Key": "team", "Tag.1.Value": team})
		step(t, server, time.Minute)
		owner.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
		step(t, server, time.Minute)
		disks[team] = owner.ok("DescribeDisks", values{"Tag.1.Key": "team", "Tag.1.Value": team}).text(t, "Disks", "Disk", 0, "DiskId")
	}
	eve.refused("DeleteDisk", values{"DiskId": disks["b"]}, "Forbidden.RAM", 403)
	eve.ok("DeleteDisk", values{"DiskId": disks["a"]})
}

func TestADeniedUserSeesNothingOrIsForbidden(t *testing.T) {
	t.Parallel()
	server, owner, eve := withUser(t, ecsemulator.Options{}, `{"Effect":"Allow","Action":"ecs:RunInstances","Resource":"*"}`)
	id := owner.run(nil)
	if got := eve.status(id); got != "" {
		t.Errorf("listed as %s", got)
	}
	eve.refused("DescribeInstances", values{"DryRun": "true"}, "Forbidden.RAM", 403)
	eve.refused("DescribeDisks", nil, "Forbidden.RAM", 403)
	if err := server.SetBehavior(ecsemulator.Behavior{DeniedDescribe: ecsemulator.DenialForbidden}); err != nil {
		t.Fatal(err)
	}
	eve.refused("DescribeInstances", nil, "Forbidden.RAM", 403)
	eve.refused("RunInstances", launch().with(values{"RamRoleName": "acme-node-role"}), "InvalidUser.PassRoleForbidden", 403)
	eve.run(nil)
}

func TestPoliciesAreEditedWhileItRuns(t *testing.T) {
	t.Parallel()
	server, owner, eve := withUser(t, ecsemulator.Options{})
	ctx := t.Context()
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	id := owner.run(nil)
	step(t, server, time.Minute)
	own := values{"InstanceId": id}
	eve.refused("RebootInstance", own, "Forbidden.RAM", 403)
	if err := control.SetUser(ctx, ecsemulator.User{Name: "eve", Policies: []ecsemulator.Policy{ecsemulator.AllowAll()}}); err != nil {
		t.Fatal(err)
	}
	eve.ok("RebootInstance", own)
	users, err := control.Users(ctx)
	if err != nil || len(users) != 1 || len(users[0].Policies) != 1 {
		t.Errorf("users %+v: %v", users, err)
	}
	if err := control.SetUser(ctx, ecsemulator.User{Name: "eve"}); err != nil {
		t.Fatal(err)
	}
	eve.refused("RebootInstance", own, "Forbidden.RAM", 403)
	if err := control.RemoveUser(ctx, "", "eve"); err != nil {
		t.Fatal(err)
	}
	step(t, server, time.Minute)
	eve.ok("RebootInstance", own)
	if err := control.RemoveUser(ctx, "", "eve"); !errors.Is(err, ecsemulator.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestKeysAreEditedWhileItRuns(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	ctx := t.Context()
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c := newClient(t, server)
	c.id, c.secret = "new", "secret-of-new"
	c.refused("DescribeRegions", nil, "InvalidAccessKeyId.NotFound", 404)
	check(control.SetAccessKey(ctx, ecsemulator.AccessKey{ID: "new", Secret: "secret-of-new", AccountID: "77"}))
	if got := c.ok("GetCallerIdentity", nil).text(t, "AccountId"); got != "77" {
		t.Errorf("account %s", got)
	}
	c.run(nil)
	check(control.DisableAccessKey(ctx, "new", true))
	c.refused("DescribeRegions", nil, "InvalidAccessKeyId.Inactive", 400)
	check(control.DisableAccessKey(ctx, "new", false))
	c.ok("DescribeRegions", nil)
	keys, err := control.AccessKeys(ctx)
	check(err)
	raw, err := json.Marshal(keys)
	check(err)
	if len(keys) != 2 || strings.Contains(string(raw), "secret") {
		t.Errorf("keys %s", raw)
	}
	check(control.RemoveAccessKey(ctx, "new"))
	c.refused("DescribeRegions", nil, "InvalidAccessKeyId.NotFound", 404)
	for name, err := range map[string]error{
		"disable": control.DisableAccessKey(ctx, "new", true), "remove": control.RemoveAccessKey(ctx, "new"),
		"expire": control.ExpireAccessKey(ctx, "new"), "role": control.RemoveRole(ctx, "", "x"),
		"provider": control.RemoveIdentityProvider(ctx, "", "x"),
	} {
		if !errors.Is(err, ecsemulator.ErrNotFound) {
			t.Errorf("%s what is not there: %v", name, err)
		}
	}
	if control.SetAccessKey(ctx, ecsemulator.AccessKey{ID: "half"}) == nil {
		t.Error("a key without a secret was taken")
	}
}

func TestPoliciesThatAreNotSupportedAreRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":          `allow all`,
		"version":          `{"Version":"2","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`,
		"no statement":     `{"Version":"1","Statement":[]}`,
		"effect":           `{"Version":"1","Statement":[{"Effect":"Maybe","Action":"*","Resource":"*"}]}`,
		"no action":        `{"Version":"1","Statement":[{"Effect":"Allow","Resource":"*"}]}`,
		"no resource":      `{"Version":"1","Statement":[{"Effect":"Allow","Action":"*"}]}`,
		"NotAction":        `{"Version":"1","Statement":[{"Effect":"Allow","NotAction":"*","Resource":"*"}]}`,
		"action of number": `{"Version":"1","Statement":[{"Effect":"Allow","Action":7,"Resource":"*"}]}`,
		"principal":        `{"Version":"1","Statement":[{"Effect":"Allow","Action":"*","Resource":"*","Principal":{"RAM":"x"}}]}`,
		"operator":         `{"Version":"1","Statement":[{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"IpAddress":{"acs:SourceIp":"10.0.0.1"}}}]}`,
		"key":              `{"Version":"1","Statement":[{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"StringEquals":{"acs:SourceIp":"10.0.0.1"}}}]}`,
		"something after":  `{"Version":"1","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]} {}`,
	} {
		if _, err := ecsemulator.ParsePolicy(text); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
