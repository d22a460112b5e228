package ecsemulator

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// The vector is published on the page "Request signatures" of the ECS API reference.
func TestRPCSignatureOfThePublishedVector(t *testing.T) {
	t.Parallel()
	given := url.Values{
		"Timestamp": {"2016-02-23T12:46:24Z"}, "Format": {"XML"}, "AccessKeyId": {"testid"}, "Action": {"DescribeRegions"},
		"SignatureMethod": {"HMAC-SHA1"}, "SignatureNonce": {"3ee8c1b8-83d3-44af-a94f-4e0ad82fd6cf"}, "Version": {"2014-05-26"},
		"SignatureVersion": {"1.0"}, "Signature": {"not part of it"},
	}
	toSign := rpcStringToSign(http.MethodGet, given)
	want := "GET&%2F&AccessKeyId%3Dtestid%26Action%3DDescribeRegions%26Format%3DXML%26SignatureMethod%3DHMAC-SHA1%26" +
		"SignatureNonce%3D3ee8c1b8-83d3-44af-a94f-4e0ad82fd6cf%26SignatureVersion%3D1.0%26Timestamp%3D2016-02-23T12%253A46%253A24Z%26" +
		"Version%3D2014-05-26"
	if toSign != want {
		t.Errorf("string to sign\n%s\nwant\n%s", toSign, want)
	}
	if got := rpcSignature("testsecret", toSign); got != "OLeaidS1JvxuMvnyHOwuJ+uX5qY=" {
		t.Errorf("signature %s", got)
	}
}

// The vector is published on the page "Request syntax and signature method V3" of the API reference.
func TestACS3SignatureOfThePublishedVector(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://ecs.cn-shanghai.aliyuncs.com/", nil)
	for name, value := range map[string]string{
		"x-acs-action": "RunInstances", "x-acs-version": "2014-05-26", "x-acs-date": "2023-10-26T10:22:32Z",
		"x-acs-signature-nonce": "3156853299f313e23d1673dc12e1703d", "x-acs-content-sha256": sha256Hex(nil),
	} {
		r.Header.Set(name, value)
	}
	query := url.Values{"ImageId": {"win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd"}, "RegionId": {"cn-shanghai"}}
	signed := strings.Split("host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version", ";")
	toSign := acs3StringToSign(acs3CanonicalRequest(r, query, signed, sha256Hex(nil)))
	if want := "ACS3-HMAC-SHA256\n7ea06492da5221eba5297e897ce16e55f964061054b7695beedaac1145b1e259"; toSign != want {
		t.Errorf("string to sign %q, want %q", toSign, want)
	}
	if got := acs3Signature("YourAccessKeySecret", toSign); got != "06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0" {
		t.Errorf("signature %s", got)
	}
}

func TestPercentEncoding(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a b": "a%20b", "*": "%2A", "~-_.": "~-_.", "/": "%2F", "ü": "%C3%BC", "+": "%2B", "%": "%25"} {
		if got := percentEncode(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern, value string
		want           bool
	}{
		{"", "anything", true},
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"a*c", "abbbc", true},
		{"a*c", "ac", true},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"*", "", true},
		{"*.large", "ecs.g7.large", true},
		{"ab*ba", "aba", false},
		{"[", "[", true},
	} {
		if got := matches(row.pattern, row.value); got != row.want {
			t.Errorf("%q against %q: %v, want %v", row.pattern, row.value, got, row.want)
		}
	}
}

// FuzzDecodeParameters checks that nothing undeclared is taken, and that no input makes the decoder fail otherwise.
func FuzzDecodeParameters(f *testing.F) {
	table, err := parseParameterTable(runInstancesParameters)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"Tag.1.Key=a&Tag.1.Value=b", "Amount=-1", "DataDisk.0.Size=1", "DataDisk.9999999999999999.Size=1", "a..1.", "DryRun=maybe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		given, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		p, refusal := decodeParameters(table, given)
		if refusal == nil {
			for name := range p.values {
				if general, ok := generalName(name); !isCommonParameter(name) && (!ok || table[general] == (parameterSpec{})) {
					t.Errorf("%q was taken and is not declared", name)
				}
			}
		} else if refusal.HTTPStatus != 400 {
			t.Errorf("refused with %v", refusal)
		}
		_ = rpcStringToSign("POST", given)
	})
}
