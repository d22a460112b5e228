package ecsemulator_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func gatewayKeys() []ecsemulator.AccessKey {
	return []ecsemulator.AccessKey{
		{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret},
		{ID: "off", Secret: "s", Disabled: true},
		{ID: "STS.good", Secret: "s", SecurityToken: "token", RoleName: "deployer", Expires: time.Now().Add(time.Hour)},
		{ID: "STS.old", Secret: "s", SecurityToken: "token", Expires: time.Now().Add(-time.Hour)},
	}
}

// Sources of the codes: the page "Common error codes" and, for the tokens, what other clients handle.
func TestGatewayRefuses(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{AccessKeys: gatewayKeys()})
	stamp := func(d time.Duration) string { return time.Now().UTC().Add(d).Format("2006-01-02T15:04:05Z") }
	for name, row := range map[string]struct {
		id, secret string
		own        values
		spoil      func(url.Values)
		code       string
		status     int
	}{
		"no action":              {own: values{"Action": "-"}, code: "MissingAction", status: 400},
		"no version":             {own: values{"Version": "-"}, code: "MissingVersion", status: 400},
		"no access key":          {own: values{"AccessKeyId": "-"}, code: "MissingAccessKeyId", status: 400},
		"no timestamp":           {own: values{"Timestamp": "-"}, code: "MissingTimestamp", status: 400},
		"no nonce":               {own: values{"SignatureNonce": "-"}, code: "MissingSignatureNonce", status: 400},
		"no signature method":    {own: values{"SignatureMethod": "-"}, code: "MissingSignatureMethod", status: 400},
		"other signature method": {own: values{"SignatureMethod": "HMAC-SHA256"}, code: "InvalidSignatureMethod", status: 400},
		"malformed timestamp":    {own: values{"Timestamp": "2026-01-01 00:00:00"}, code: "InvalidTimeStamp.Format", status: 400},
		"timestamp behind":       {own: values{"Timestamp": stamp(-16 * time.Minute)}, code: "InvalidTimeStamp.Expired", status: 400},
		"timestamp ahead":        {own: values{"Timestamp": stamp(16 * time.Minute)}, code: "InvalidTimeStamp.Expired", status: 400},
		"unknown key":            {id: "nobody", code: "InvalidAccessKeyId.NotFound", status: 404},
		"disabled key":           {id: "off", secret: "s", code: "InvalidAccessKeyId.Inactive", status: 400},
		"wrong secret":           {secret: "wrong", code: "SignatureDoesNotMatch", status: 400},
		"no signature":           {spoil: func(v url.Values) { v.Del("Signature") }, code: "IncompleteSignature", status: 400},
		"parameter changed":      {spoil: func(v url.Values) { v.Set("AcceptLanguage", "ja") }, code: "SignatureDoesNotMatch", status: 400},
		"temporary key, no token": {
			id: "STS.good", secret: "s", code: "MissingSecurityToken", status: 400,
		},
		"temporary key, wrong token": {
			id: "STS.good", secret: "s", own: values{"SecurityToken": "other"}, code: "InvalidSecurityToken.Malformed", status: 400,
		},
		"temporary key, expired": {
			id: "STS.old", secret: "s", own: values{"SecurityToken": "token"}, code: "InvalidSecurityToken.Expired", status: 400,
		},
		"permanent key with token": {
			own: values{"SecurityToken": "token"}, code: "InvalidSecurityToken.MismatchWithAccessKey", status: 400,
		},
		"unknown version": {own: values{"Version": "2011-01-01"}, code: "InvalidProduct.NotFound", status: 404},
		"unknown action":  {own: values{"Action": "LaunchRocket"}, code: "InvalidApi.NotFound", status: 404},
		"action of another product": {
			own: values{"Action": "DescribeVSwitches", "Version": "2014-05-26"}, code: "InvalidApi.NotFound", status: 404,
		},
		"unknown region":    {own: values{"RegionId": "mars-1"}, code: "InvalidRegionId.NotFound", status: 404},
		"unknown format":    {own: values{"Format": "YAML"}, code: "InvalidParameter", status: 400},
		"unknown parameter": {own: values{"Colour": "red"}, code: "UnsupportedParameter", status: 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, server)
			if row.id != "" {
				c.id = row.id
			}
			if row.secret != "" {
				c.secret = row.secret
			}
			all := c.signed(http.MethodPost, "DescribeRegions", row.own)
			if row.spoil != nil {
				row.spoil(all)
			}
			answer, err := send(t.Context(), http.MethodPost, "http://"+server.Endpoint()+"/?"+all.Encode(), "")
			if err != nil {
				t.Fatal(err)
			}
			if row.own["Format"] != "" {
				if answer.status != row.status || !strings.Contains(string(answer.body), "<Code>"+row.code+"</Code>") {
					t.Fatalf("answered %d %s", answer.status, answer.body)
				}
				return
			}
			if answer.Code != row.code || answer.status != row.status {
				t.Fatalf("answered %d %s, want %d %s", answer.status, answer.body, row.status, row.code)
			}
			for _, field := range []string{"RequestId", "HostId", "Message", "Recommend"} {
				if answer.text(t, field) == "" {
					t.Errorf("%s is empty", field)
				}
			}
		})
	}
}

func TestGatewayTakesQueryAndFormGetAndPost(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	c := newClient(t, server)
	base := "http://" + server.Endpoint() + "/"
	for name, row := range map[string]struct {
		method string
		split  func(all url.Values) (query, form string)
	}{
		"GET with a query":  {http.MethodGet, func(all url.Values) (string, string) { return all.Encode(), "" }},
		"POST with a query": {http.MethodPost, func(all url.Values) (string, string) { return all.Encode(), "" }},
		"POST with a form":  {http.MethodPost, func(all url.Values) (string, string) { return "", all.Encode() }},
		"POST with some of each": {http.MethodPost, func(all url.Values) (string, string) {
			form := url.Values{"Action": all["Action"], "AcceptLanguage": all["AcceptLanguage"]}
			all.Del("Action")
			all.Del("AcceptLanguage")
			return all.Encode(), form.Encode()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query, form := row.split(c.signed(row.method, "DescribeRegions", values{"AcceptLanguage": "en-US"}))
			answer, err := send(t.Context(), row.method, base+"?"+query, form)
			if err != nil {
				t.Fatal(err)
			}
			if answer.text(t, "Regions", "Region", 0, "LocalName") != "China (Hangzhou)" {
				t.Errorf("answered %d %s", answer.status, answer.body)
			}
		})
	}
	answer, err := send(t.Context(), http.MethodPut, base, "")
	if err != nil || answer.status != 403 || !strings.Contains(string(answer.body), "UnsupportedHTTPMethod") {
		t.Errorf("PUT: %v %d %s", err, answer.status, answer.body)
	}
}

func TestNonceWorksOnce(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	c := newClient(t, server)
	c.ok("DescribeRegions", values{"SignatureNonce": "once"})
	c.refused("DescribeRegions", values{"SignatureNonce": "once"}, "SignatureNonceUsed", 400)
	c.ok("DescribeRegions", values{"SignatureNonce": "twice"})
}

func TestTemporaryKeyWorksWithItsToken(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{AccessKeys: gatewayKeys()})
	c := newClient(t, server)
	c.id, c.secret = "STS.good", "s"
	answer := c.ok("GetCallerIdentity", values{"SecurityToken": "token"})
	if answer.text(t, "IdentityType") != "AssumedRoleUser" || answer.text(t, "AccountId") != ecsemulator.DefaultAccountID {
		t.Errorf("identity %s", answer.body)
	}
}

func TestWrongSignatureTellsTheStringToSign(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t, ecsemulator.Options{}))
	c.secret = "wrong"
	message := c.refused("DescribeRegions", nil, "SignatureDoesNotMatch", 400).text(t, "Message")
	if !strings.Contains(message, "server string to sign is:POST&%2F&AccessKeyId%3D") {
		t.Errorf("message %q", message)
	}
}

func TestXMLIsTheFormatOfOldAndTheDefault(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	c := newClient(t, server)
	c.run(values{"Tag.1.Key": "a", "Tag.1.Value": "<&>"})
	var listed struct {
		XMLName   xml.Name `xml:"DescribeInstancesResponse"`
		RequestID string   `xml:"RequestId"`
		Total     int      `xml:"TotalCount"`
		TagValue  string   `xml:"Instances>Instance>Tags>Tag>TagValue"`
		Groups    []string `xml:"Instances>Instance>SecurityGroupIds>SecurityGroupId"`
	}
	if err := xml.Unmarshal(c.ok("DescribeInstances", values{"Format": "-"}).body, &listed); err != nil {
		t.Fatal(err)
	}
	if listed.RequestID == "" || listed.Total != 1 || listed.TagValue != "<&>" || len(listed.Groups) != 1 || listed.Groups[0] != "sg-1" {
		t.Errorf("listed %+v", listed)
	}
	var failed struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		HostID  string `xml:"HostId"`
	}
	if err := xml.Unmarshal(c.call("DescribeInstances", values{"Format": "XML", "RegionId": "mars"}).body, &failed); err != nil {
		t.Fatal(err)
	}
	if failed.Code != "InvalidRegionId.NotFound" || failed.HostID != "ecs.mars.aliyuncs.com" {
		t.Errorf("failed %+v", failed)
	}
}

// acs3 makes a call with the header signature.
func acs3(t *testing.T, server *ecsemulator.Server, secret string, spoil func(*http.Request)) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+server.Endpoint()+"/?AcceptLanguage=en-US", nil)
	if err != nil {
		t.Fatal(err)
	}
	empty := sha256.Sum256(nil)
	names := []string{"host", "x-acs-action", "x-acs-content-sha256", "x-acs-date", "x-acs-signature-nonce", "x-acs-version"}
	set := map[string]string{
		"host": server.Endpoint(), "x-acs-action": "DescribeRegions", "x-acs-content-sha256": hex.EncodeToString(empty[:]),
		"x-acs-date": time.Now().UTC().Format("2006-01-02T15:04:05Z"), "x-acs-signature-nonce": rand.Text(), "x-acs-version": "2014-05-26",
	}
	canonical := "POST\n/\nAcceptLanguage=en-US\n"
	for _, name := range names {
		r.Header.Set(name, set[name])
		canonical += name + ":" + set[name] + "\n"
	}
	canonical += "\n" + strings.Join(names, ";") + "\n" + set["x-acs-content-sha256"]
	sum := sha256.Sum256([]byte(canonical))
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, "ACS3-HMAC-SHA256\n"+hex.EncodeToString(sum[:]))
	r.Header.Set("Authorization", "ACS3-HMAC-SHA256 Credential="+ecsemulator.DefaultAccessKeyID+",SignedHeaders="+strings.Join(names, ";")+
		",Signature="+hex.EncodeToString(mac.Sum(nil)))
	if spoil != nil {
		spoil(r)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{status: response.StatusCode, body: body}
}

func TestHeaderSignature(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	for name, row := range map[string]struct {
		secret string
		spoil  func(*http.Request)
		want   string
	}{
		"right":           {want: `"RegionId":"cn-hangzhou"`},
		"wrong secret":    {secret: "wrong", want: `"Code":"SignatureDoesNotMatch"`},
		"query changed":   {spoil: func(r *http.Request) { r.URL.RawQuery = "AcceptLanguage=ja" }, want: `"Code":"SignatureDoesNotMatch"`},
		"action changed":  {spoil: func(r *http.Request) { r.Header.Set("x-acs-action", "DescribeZones") }, want: `"Code":"SignatureDoesNotMatch"`},
		"body hash wrong": {spoil: func(r *http.Request) { r.Header.Set("x-acs-content-sha256", "00") }, want: `"Code":"SignatureDoesNotMatch"`},
		"body not that of the hash": {spoil: func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader("AcceptLanguage=ja")), 17
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}, want: `"Message":"The x-acs-content-sha256 header is not the hash of the body."`},
		"unsigned x-acs header":   {spoil: func(r *http.Request) { r.Header.Set("x-acs-extra", "1") }, want: `"Code":"IncompleteSignature"`},
		"other scheme":            {spoil: func(r *http.Request) { r.Header.Set("Authorization", "ACS3-HMAC-SM3 Credential=a") }, want: `"Code":"IncompleteSignature"`},
		"no date":                 {spoil: func(r *http.Request) { r.Header.Del("x-acs-date") }, want: `"Code":"MissingTimestamp"`},
		"action as a parameter":   {spoil: func(r *http.Request) { r.Header.Del("x-acs-action") }, want: `"Code":"MissingAction"`},
		"authorization cut short": {spoil: func(r *http.Request) { r.Header.Set("Authorization", "ACS3-HMAC-SHA256 Credential=") }, want: `"Code":"IncompleteSignature"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret := row.secret
			if secret == "" {
				secret = ecsemulator.DefaultAccessKeySecret
			}
			answer := acs3(t, server, secret, row.spoil)
			if !strings.Contains(string(answer.body), row.want) || answer.status >= 500 {
				t.Errorf("answered %d %s, want %s", answer.status, answer.body, row.want)
			}
		})
	}
}

func TestParametersAreStrict(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	c := newClient(t, server)
	for name, row := range map[string]struct {
		action string
		own    values
		code   string
	}{
		"unknown":               {"RunInstances", values{"InstanceTyp": "ecs.g7.large"}, "UnsupportedParameter"},
		"unknown within a list": {"RunInstances", values{"DataDisk.1.Colour": "red"}, "UnsupportedParameter"},
		"index zero":            {"RunInstances", values{"Tag.0.Key": "a"}, "UnsupportedParameter"},
		"index not canonical":   {"RunInstances", values{"Tag.01.Key": "a"}, "UnsupportedParameter"},
		"gap in a list":         {"RunInstances", values{"Tag.1.Key": "a", "Tag.3.Key": "b"}, "InvalidParameter"},
		"list given plainly":    {"DescribeInstanceStatus", values{"InstanceId": "i-1"}, "UnsupportedParameter"},
		"text for a number":     {"RunInstances", values{"Amount": "two"}, "InvalidParameter"},
		"number too big":        {"RunInstances", values{"Amount": "99999999999"}, "InvalidParameter"},
		"text for a truth":      {"RunInstances", values{"DryRun": "maybe"}, "InvalidParameter"},
		"text for a price":      {"RunInstances", values{"SpotPriceLimit": "NaN"}, "InvalidParameter"},
		"overlong":              {"RunInstances", values{"InstanceName": strings.Repeat("a", 5000)}, "InvalidParameter"},
		"overlong type":         {"RunInstances", values{"InstanceType": strings.Repeat("a", 5000)}, "InvalidParameter"},
		"no JSON array":         {"DescribeInstances", values{"InstanceIds": "i-1"}, "InvalidParameter"},
		"JSON of another kind":  {"DescribeInstances", values{"InstanceIds": `{"a":1}`}, "InvalidParameter"},
		"JSON of numbers":       {"DescribeInstances", values{"InstanceIds": `[1]`}, "InvalidParameter"},
		"JSON null":             {"DescribeInstances", values{"InstanceIds": `null`}, "InvalidParameter"},
		"too many ids":          {"DescribeInstances", values{"InstanceIds": `["` + strings.Repeat(`i","`, 100) + `i"]`}, "InvalidParameter"},
		"page zero":             {"DescribeInstances", values{"PageNumber": "0"}, "InvalidParameter"},
		"page too large":        {"DescribeInstances", values{"PageSize": "101"}, "InvalidParameter"},
		"foreign token":         {"DescribeInstances", values{"NextToken": "%%%"}, "InvalidParameter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := row.own
			if row.action == "RunInstances" {
				own = launch().with(own)
			}
			newClient(t, server).refused(row.action, own, row.code, 400)
		})
	}
	t.Cleanup(func() {
		if n := len(server.Journal()); n != 0 {
			t.Errorf("%d effects of calls that were refused", n)
		}
	})
	all := c.signed(http.MethodPost, "DescribeRegions", nil)
	all.Del("Signature")
	all["AcceptLanguage"] = []string{"en-US", "ja"}
	all.Set("Signature", sign(http.MethodPost, c.secret, all))
	answer, err := send(t.Context(), http.MethodPost, "http://"+server.Endpoint()+"/?"+all.Encode(), "")
	if err != nil || answer.status != 400 || answer.Code != "InvalidParameter" {
		t.Errorf("a parameter given twice: %v %d %s", err, answer.status, answer.body)
	}
}
