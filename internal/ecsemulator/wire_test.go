package ecsemulator_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// failure is a refusal as it is documented, in either format. Source: ecs-api 1.10.
type failure struct {
	XMLName   xml.Name `json:"-" xml:"Error"`
	RequestID string   `json:"RequestId" xml:"RequestId"`
	HostID    string   `json:"HostId" xml:"HostId"`
	Code      string
	Message   string
	Recommend string
}

// Source of every row: the table of ecs-api 1.4; "older" is what it gives in parentheses.
func TestGatewayCodesInBothFormatsAndVintages(t *testing.T) {
	t.Parallel()
	stamp := time.Now().UTC().Add(-16 * time.Minute).Format("2006-01-02T15:04:05Z")
	type want struct {
		code   string
		status int
	}
	for name, row := range map[string]struct {
		id, secret string
		own        values
		spoil      func(url.Values)
		rule       *ecsemulator.Rule
		current    want
		older      *want // nil: as current
	}{
		"parameter absent":   {own: values{"Timestamp": "-"}, current: want{"MissingTimestamp", 400}},
		"key absent":         {own: values{"AccessKeyId": "-"}, current: want{"MissingAccessKeyId", 400}},
		"own parameter":      {own: values{"RegionId": "-", "Action": "DescribeZones"}, current: want{"MissingParameter", 400}},
		"timestamp's format": {own: values{"Timestamp": "today"}, current: want{"InvalidTimeStamp.Format", 400}},
		"timestamp's age":    {own: values{"Timestamp": stamp}, current: want{"InvalidTimeStamp.Expired", 400}, older: &want{"IllegalTimestamp", 400}},
		"nonce again":        {own: values{"SignatureNonce": "used"}, current: want{"SignatureNonceUsed", 400}},
		"signature method":   {own: values{"SignatureMethod": "HMAC-MD5"}, current: want{"InvalidSignatureMethod", 400}},
		"signature wrong":    {secret: "wrong", current: want{"SignatureDoesNotMatch", 400}},
		"signature absent":   {spoil: func(v url.Values) { v.Del("Signature") }, current: want{"IncompleteSignature", 400}},
		"key unknown": {
			id: "nobody", secret: "s", current: want{"InvalidAccessKeyId.NotFound", 404}, older: &want{"InvalidAccessKeyId.NotFound", 400},
		},
		"key disabled": {
			id: "off", secret: "s", current: want{"InvalidAccessKeyId.Inactive", 400}, older: &want{"Forbidden.AccessKeyDisabled", 403},
		},
		"token absent":    {id: "STS.good", secret: "s", current: want{"MissingSecurityToken", 400}},
		"token malformed": {id: "STS.good", secret: "s", own: values{"SecurityToken": "x"}, current: want{"InvalidSecurityToken.Malformed", 400}},
		"token expired":   {id: "STS.old", secret: "s", own: values{"SecurityToken": "token"}, current: want{"InvalidSecurityToken.Expired", 400}},
		"token of no key": {own: values{"SecurityToken": "x"}, current: want{"InvalidSecurityToken.MismatchWithAccessKey", 400}},
		"version unknown": {
			own: values{"Version": "2011-01-01"}, current: want{"InvalidProduct.NotFound", 404}, older: &want{"InvalidParameter", 400},
		},
		"action unknown": {
			own: values{"Action": "LaunchRocket"}, current: want{"InvalidApi.NotFound", 404}, older: &want{"InvalidAction", 403},
		},
		"policy denies": {rule: &ecsemulator.Rule{Kind: ecsemulator.RuleDeny}, current: want{"Forbidden.RAM", 403}},
		"flow control": {
			rule:    &ecsemulator.Rule{Kind: ecsemulator.RuleThrottle, PerMinute: 1, Action: "DescribeRegions"},
			current: want{"Throttling.User", 400},
		},
		"unavailable": {
			rule:    &ecsemulator.Rule{Kind: ecsemulator.RuleError, Code: "ServiceUnavailable", HTTPStatus: 503},
			current: want{"ServiceUnavailable", 503},
		},
		"internal": {
			rule: &ecsemulator.Rule{Kind: ecsemulator.RuleError, Code: "InternalError", HTTPStatus: 500}, current: want{"InternalError", 500},
		},
	} {
		for _, vintage := range []ecsemulator.Vintage{ecsemulator.VintageCurrent, ecsemulator.VintageOlder} {
			for _, format := range []string{"JSON", "XML"} {
				t.Run(name+" "+string(vintage)+" "+format, func(t *testing.T) {
					t.Parallel()
					server := still(t, ecsemulator.Options{
						AccessKeys: gatewayKeys(), Behavior: ecsemulator.Behavior{GatewayCodes: vintage},
					})
					c := newClient(t, server)
					c.ok("DescribeRegions", values{"SignatureNonce": "used"})
					if row.rule != nil {
						addRule(t, server, *row.rule)
						c.call("DescribeRegions", nil)
					}
					if row.id != "" {
						c.id = row.id
					}
					if row.secret != "" {
						c.secret = row.secret
					}
					own := values{"Format": format}
					maps.Copy(own, row.own)
					all := c.signed(http.MethodGet, "DescribeRegions", own)
					if row.spoil != nil {
						row.spoil(all)
					}
					answer, err := send(t.Context(), http.MethodGet, server.URL()+"/?"+all.Encode(), "")
					if err != nil {
						t.Fatal(err)
					}
					wanted := row.current
					if vintage == ecsemulator.VintageOlder && row.older != nil {
						wanted = *row.older
					}
					checkFailure(t, answer, format, wanted.code, wanted.status)
				})
			}
		}
	}
}

func checkFailure(t *testing.T, answer reply, format, code string, status int) {
	t.Helper()
	var got failure
	decode := json.Unmarshal
	if format == "XML" {
		decode = xml.Unmarshal
	}
	if err := decode(answer.body, &got); err != nil {
		t.Fatalf("%v in %s", err, answer.body)
	}
	if answer.status != status || got.Code != code {
		t.Fatalf("answered %d %s, want %d %s", answer.status, answer.body, status, code)
	}
	if got.RequestID == "" || got.RequestID != answer.header.Get("x-acs-request-id") || got.Message == "" {
		t.Errorf("incomplete: %s", answer.body)
	}
	if !strings.HasPrefix(got.HostID, "ecs.") || !strings.HasSuffix(got.HostID, ".aliyuncs.com") {
		t.Errorf("HostId %q", got.HostID)
	}
	link, err := url.Parse(got.Recommend)
	if err != nil || link.Host != "api.aliyun.com" || link.Query().Get("q") != code || link.Query().Get("product") != "Ecs" ||
		link.Query().Get("requestId") != got.RequestID {
		t.Errorf("Recommend %q: %v", got.Recommend, err)
	}
}

// trusting is a client that trusts the server's authority and nothing else.
func trusting(t *testing.T, server *ecsemulator.Server) *http.Client {
	t.Helper()
	encoded, err := os.ReadFile(server.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(encoded) {
		t.Fatalf("no certificate in %s", encoded)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestHTTPSWithACertificateItMakes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ca.pem")
	for name, options := range map[string]ecsemulator.Options{"temporary file": {TLS: true}, "named file": {TLS: true, CAFile: path}} {
		server := start(t, options)
		c := newClient(t, server)
		target := "/?" + c.signed(http.MethodGet, "DescribeRegions", nil).Encode()
		client := trusting(t, server)
		for _, host := range []string{server.URL(), strings.Replace(server.URL(), "127.0.0.1", "localhost", 1)} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, host+"/", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(request)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_ = response.Body.Close()
			if response.StatusCode != 400 || !strings.HasPrefix(host, "https://") {
				t.Errorf("%s: %s answers %s", name, host, response.Status)
			}
		}
		if _, err := send(t.Context(), http.MethodGet, server.URL()+target, ""); err == nil {
			t.Errorf("%s: a client that does not trust the authority got an answer", name)
		}
		for _, line := range []string{"TF_MACHINE_PROTOCOL=https", "SSL_CERT_FILE=" + server.CAFile()} {
			if !slices.Contains(server.Environment(), line) {
				t.Errorf("%s: no %s in %v", name, line, server.Environment())
			}
		}
		ca := server.CAFile()
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(ca); (err == nil) != (options.CAFile != "") {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	if server, err := ecsemulator.Start(t.Context(), ecsemulator.Options{TLS: true, CAFile: filepath.Join(path, "no", "such")}); err == nil {
		_ = server.Close()
		t.Error("started without a place for the certificate")
	}
}
