package ecs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestScrubbing(t *testing.T) {
	t.Parallel()
	scrub := newScrubber("known-secret", "abc", "#!/bin/sh\nexport TOKEN=line-secret\n")
	for name, test := range map[string]struct{ text, hidden, kept string }{
		"a known value":            {"value known-secret is bad", "known-secret", "value (masked) is bad"},
		"a known value, encoded":   {"value a25vd24tc2VjcmV0 is bad", "a25vd24tc2VjcmV0", "is bad"},
		"a line of a known value":  {"cannot parse export TOKEN=line-secret", "line-secret", "cannot parse"},
		"short values are kept":    {"abc is no secret", "", "abc is no secret"},
		"the string to sign":       {"no match, server string to sign is:POST&%2F&VSwitchId%3Dvsw-hidden", "vsw-hidden", "no match, server string to sign is:"},
		"a parameter":              {"Post https://h/?a=b&AccessKeyId=LTAIhidden&c=d: EOF", "LTAIhidden", "&c=d: EOF"},
		"a parameter, escaped":     {"got a%3Db%26SecurityToken%3Dhidden%26c%3Dd in it", "hidden", "in it"},
		"a parameter, twice":       {"got a%253Db%2526UserData%253Dhidden%2526c in it", "hidden", "in it"},
		"a parameter, in capitals": {"SIGNATURE=hidden ", "hidden", "SIGNATURE="},
		"a login":                  {"proxy http://user:hidden@proxy:3128 refused", "hidden", "proxy:3128 refused"},
		"harmless":                 {"The specified InstanceType is sold out.", "", "The specified InstanceType is sold out."},
		"an ordinary address":      {"see https://help.test/page?q=NoStock", "", "see https://help.test/page?q=NoStock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := scrub.text(test.text)
			if test.hidden != "" && strings.Contains(got, test.hidden) || !strings.Contains(got, test.kept) {
				t.Errorf("%q became %q", test.text, got)
			}
		})
	}
	if got := scrub.transport(`Post "https://h/?Tag.1.Value=hidden": EOF`); strings.Contains(got, "hidden") || !strings.HasSuffix(got, ": EOF") {
		t.Errorf("a transport's query: %q", got)
	}
	if got := scrub.text(strings.Repeat("é", 2000)); len(got) > longestMessage+3 || !utf8.ValidString(got) {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzScrubbingHidesTheKnownSecret(f *testing.F) {
	f.Add("before ", " after")
	f.Add("UserData=", "&x=y")
	f.Add("string to sign is:", "")
	f.Add("?a=", "%26")
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "s3cr3t-v4lue"
		scrub := newScrubber(secret)
		for _, text := range []string{scrub.text(before + secret + after), scrub.transport(before + secret + after)} {
			if strings.Contains(text, secret) {
				t.Errorf("%q shows the secret", text)
			}
		}
	})
}
