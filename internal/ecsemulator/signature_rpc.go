package ecsemulator

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the protocol signs with HMAC-SHA1
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// percentEncode encodes by RFC 3986: letters, digits and - _ . ~ stay.
func percentEncode(text string) string {
	const digits = "0123456789ABCDEF"
	var encoded strings.Builder
	encoded.Grow(len(text) + len(text)/4)
	for i := range len(text) {
		switch b := text[i]; {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '_', b == '.', b == '~':
			encoded.WriteByte(b)
		default:
			encoded.WriteByte('%')
			encoded.WriteByte(digits[b>>4])
			encoded.WriteByte(digits[b&15])
		}
	}
	return encoded.String()
}

// rpcStringToSign is what an RPC request signs: every parameter of query and form but Signature, also the empty ones.
// Source: "Request signatures" of the API reference.
func rpcStringToSign(method string, given url.Values) string {
	var canonical strings.Builder
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name == "Signature" {
			continue
		}
		for _, value := range given[name] {
			if canonical.Len() > 0 {
				canonical.WriteByte('&')
			}
			canonical.WriteString(percentEncode(name) + "=" + percentEncode(value))
		}
	}
	return method + "&" + percentEncode("/") + "&" + percentEncode(canonical.String())
}

// rpcSignature is the HMAC-SHA1 signature of a string to sign.
func rpcSignature(secret, stringToSign string) string {
	mac := hmac.New(sha1.New, []byte(secret+"&"))
	mac.Write([]byte(stringToSign))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
