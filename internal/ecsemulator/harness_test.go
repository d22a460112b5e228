package ecsemulator_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// start runs a server for one test.
func start(t *testing.T, options ecsemulator.Options) *ecsemulator.Server {
	t.Helper()
	server, err := ecsemulator.Start(t.Context(), options)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return server
}

// values are the parameters of one call.
type values map[string]string

// with copies values and sets more; a value "-" takes one away.
func (v values) with(more values) values {
	merged := values{}
	for _, each := range []values{v, more} {
		for name, value := range each {
			merged[name] = value
			if value == "-" {
				delete(merged, name)
			}
		}
	}
	return merged
}

// launch is the least that RunInstances needs.
func launch() values {
	return values{
		"InstanceType": "ecs.g7.large", "ImageId": "m-acme2", "VSwitchId": "vsw-a", "SecurityGroupId": "sg-1",
	}
}

// reply is an answer as it came.
type reply struct {
	status int
	header http.Header
	body   []byte
	Code   string
	// document is the decoded JSON.
	document map[string]any
}

// at follows a path of names and positions through the answer.
func (r reply) at(t *testing.T, path ...any) any {
	t.Helper()
	var here any = r.document
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := here.(map[string]any)
			if !ok {
				t.Fatalf("no object to take %q from in %s", step, r.body)
			}
			here = object[step]
		case int:
			list, ok := here.([]any)
			if !ok || step >= len(list) {
				t.Fatalf("no item %d in %s", step, r.body)
			}
			here = list[step]
		}
	}
	return here
}

func (r reply) list(t *testing.T, path ...any) []any {
	t.Helper()
	list, ok := r.at(t, path...).([]any)
	if !ok {
		t.Fatalf("no list at %v in %s", path, r.body)
	}
	return list
}

func (r reply) text(t *testing.T, path ...any) string {
	t.Helper()
	text, ok := r.at(t, path...).(string)
	if !ok {
		t.Fatalf("no text at %v in %s", path, r.body)
	}
	return text
}

// client signs as the documentation says, by code that shares nothing with the emulator.
type client struct {
	t      *testing.T
	server *ecsemulator.Server
	id     string
	secret string
	region string
}

func newClient(t *testing.T, server *ecsemulator.Server) *client {
	return &client{t, server, ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret, "cn-hangzhou"}
}

func versionOf(action string) string {
	switch action {
	case "DescribeVSwitches", "DescribeVpcs":
		return "2016-04-28"
	case "GetCallerIdentity", "AssumeRole", "AssumeRoleWithOIDC":
		return "2015-04-01"
	default:
		return "2014-05-26"
	}
}

// signed makes the full set of signed parameters of a call.
func (c *client) signed(method, action string, own values) url.Values {
	all := url.Values{}
	for name, value := range (values{
		"Action": action, "Version": versionOf(action), "Format": "JSON", "AccessKeyId": c.id, "SignatureMethod": "HMAC-SHA1",
		"SignatureVersion": "1.0", "SignatureNonce": rand.Text(), "Timestamp": time.Now().UTC().Format("2006-01-02T15:04:05Z"),
		"RegionId": c.region,
	}).with(own) {
		all.Set(name, value)
	}
	all.Set("Signature", sign(method, c.secret, all))
	return all
}

// sign relies on Encode sorting by name.
func sign(method, secret string, all url.Values) string {
	canonical := strings.NewReplacer("+", "%20", "*", "%2A", "%7E", "~").Replace(all.Encode())
	mac := hmac.New(sha1.New, []byte(secret+"&"))
	_, _ = io.WriteString(mac, method+"&%2F&"+strings.ReplaceAll(url.QueryEscape(canonical), "+", "%20"))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// try makes one call and returns whatever comes.
func (c *client) try(action string, own values) (reply, error) {
	return send(c.t.Context(), http.MethodPost, "http://"+c.server.Endpoint()+"/?"+c.signed(http.MethodPost, action, own).Encode(), "")
}

// call makes one call that must get an answer.
func (c *client) call(action string, own values) reply {
	c.t.Helper()
	answer, err := c.try(action, own)
	if err != nil {
		c.t.Fatalf("%s: %v", action, err)
	}
	return answer
}

// ok makes one call that must succeed.
func (c *client) ok(action string, own values) reply {
	c.t.Helper()
	answer := c.call(action, own)
	if answer.status != http.StatusOK {
		c.t.Fatalf("%s: %d %s", action, answer.status, answer.body)
	}
	return answer
}

// refused makes one call that must be refused with a code and a status.
func (c *client) refused(action string, own values, code string, status int) reply {
	c.t.Helper()
	answer := c.call(action, own)
	if answer.Code != code || answer.status != status {
		c.t.Fatalf("%s answered %d %s, want %d %s", action, answer.status, answer.body, status, code)
	}
	return answer
}

// run launches one instance and returns its id.
func (c *client) run(more values) string {
	c.t.Helper()
	return c.ok("RunInstances", launch().with(more)).text(c.t, "InstanceIdSets", "InstanceIdSet", 0)
}

// status is what DescribeInstances says of an instance, empty if it lists none.
func (c *client) status(id string) string {
	c.t.Helper()
	answer := c.ok("DescribeInstances", values{"InstanceIds": `["` + id + `"]`})
	if len(answer.list(c.t, "Instances", "Instance")) == 0 {
		return ""
	}
	return answer.text(c.t, "Instances", "Instance", 0, "Status")
}

func send(ctx context.Context, method, target, form string) (reply, error) {
	return sendAs(ctx, method, target, form, "application/x-www-form-urlencoded")
}

// sendAs sends a body of any content type.
func sendAs(ctx context.Context, method, target, body, contentType string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	answer := reply{status: response.StatusCode, header: response.Header}
	if answer.body, err = io.ReadAll(response.Body); err != nil {
		return answer, err
	}
	observed.note(answer.status, answer.body)
	if json.Unmarshal(answer.body, &answer.document) == nil {
		answer.Code, _ = answer.document["Code"].(string)
	}
	return answer, nil
}

// step moves the clock past everything that boots, stops or is released.
func step(t *testing.T, server *ecsemulator.Server, d time.Duration) {
	t.Helper()
	if err := server.Step(d); err != nil {
		t.Fatal(err)
	}
}
