package ecsemulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const acs3Scheme = "ACS3-HMAC-SHA256"

// acs3Authorization is a decoded Authorization header: ACS3-HMAC-SHA256 Credential=...,SignedHeaders=a;b,Signature=hex.
type acs3Authorization struct {
	accessKeyID   string
	signedHeaders []string
	signature     string
}

func parseACS3Authorization(header string) (acs3Authorization, bool) {
	scheme, rest, _ := strings.Cut(header, " ")
	if scheme != acs3Scheme {
		return acs3Authorization{}, false
	}
	var parsed acs3Authorization
	for field := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "Credential":
			parsed.accessKeyID = value
		case "SignedHeaders":
			parsed.signedHeaders = strings.Split(value, ";")
		case "Signature":
			parsed.signature = value
		}
	}
	return parsed, parsed.accessKeyID != "" && parsed.signature != "" && len(parsed.signedHeaders) > 0
}

// coversWhatMatters reports whether the headers that carry meaning are all among the signed ones: host, content-type if it was sent
// with a body, and each x-acs header.
func (a acs3Authorization) coversWhatMatters(r *http.Request) bool {
	if !slices.Contains(a.signedHeaders, "host") {
		return false
	}
	for name := range r.Header {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "x-acs-") && !slices.Contains(a.signedHeaders, lower) {
			return false
		}
	}
	return slices.IsSorted(a.signedHeaders)
}

// acs3CanonicalRequest is the canonical request of the V3 signature. Source: "Request syntax and signature method V3" of the API
// reference. The query alone is in it; a form is covered by its hash.
func acs3CanonicalRequest(r *http.Request, query url.Values, signedHeaders []string, payloadHash string) string {
	var canonicalQuery []string
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			canonicalQuery = append(canonicalQuery, percentEncode(name)+"="+percentEncode(value))
		}
	}
	var headers strings.Builder
	for _, name := range signedHeaders {
		values := slices.Clone(r.Header.Values(name))
		if name == "host" {
			values = []string{r.Host}
		}
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		slices.Sort(values)
		headers.WriteString(name + ":" + strings.Join(values, ",") + "\n")
	}
	return strings.Join([]string{
		r.Method, "/", strings.Join(canonicalQuery, "&"), headers.String(), strings.Join(signedHeaders, ";"), payloadHash,
	}, "\n")
}

// acs3StringToSign is the scheme and the hash of the canonical request.
func acs3StringToSign(canonicalRequest string) string {
	return acs3Scheme + "\n" + sha256Hex([]byte(canonicalRequest))
}

// acs3Signature is the HMAC-SHA256 signature of a string to sign.
func acs3Signature(secret, stringToSign string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stringToSign))
	return hex.EncodeToString(mac.Sum(nil))
}

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
