package ecsemulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"sync"
	"time"
)

// freshness is how far a request's timestamp may be from the server's wall clock.
const freshness = 15 * time.Minute

const timestampLayout = "2006-01-02T15:04:05Z"

// authenticate makes the checks that the gateway makes before it looks at the action. Timestamps are compared with the wall clock:
// clients sign with theirs, which knows nothing of the virtual one.
func (s *Server) authenticate(in *incoming) (AccessKey, *APIError) {
	if in.acs3 {
		parsed, ok := parseACS3Authorization(in.request.Header.Get("Authorization"))
		if !ok {
			return AccessKey{}, refuse(400, "IncompleteSignature", "The Authorization header does not conform to %s.", acs3Scheme)
		}
		in.accessKeyID = parsed.accessKeyID
	}
	if refusal := in.checkComplete(); refusal != nil {
		return AccessKey{}, refusal
	}
	stamp, err := time.Parse(timestampLayout, in.timestamp)
	if err != nil {
		return AccessKey{}, refuse(400, "InvalidTimeStamp.Format", "Specified time stamp or date value is not well formatted.")
	}
	now := time.Now()
	if now.Sub(stamp).Abs() > freshness {
		return AccessKey{}, refuse(400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.")
	}
	key, refusal := s.findKey(in, now)
	if refusal != nil {
		return key, refusal
	}
	if in.acs3 {
		refusal = in.verifyACS3(key)
	} else {
		refusal = in.verifyRPC(key)
	}
	if refusal != nil {
		return key, refusal
	}
	if !s.nonces.first(key.ID+"\n"+in.nonce, now) {
		return key, refuse(400, "SignatureNonceUsed", "Specified signature nonce was used already.")
	}
	return key, nil
}

func (in *incoming) checkComplete() *APIError {
	required := []struct{ name, value string }{
		{"Action", in.action},
		{"Version", string(in.version)},
		{"AccessKeyId", in.accessKeyID},
		{"Timestamp", in.timestamp},
		{"SignatureNonce", in.nonce},
	}
	for _, parameter := range required {
		if parameter.value == "" {
			return refuse(400, "Missing"+parameter.name, "%s is mandatory for this action.", parameter.name)
		}
	}
	if in.format != "JSON" && in.format != "XML" {
		return invalidParameter("Format")
	}
	if in.acs3 {
		return nil
	}
	switch {
	case in.given.Get("SignatureMethod") == "":
		return refuse(400, "MissingSignatureMethod", "SignatureMethod is mandatory for this action.")
	case in.given.Get("SignatureMethod") != "HMAC-SHA1":
		return refuse(400, "InvalidSignatureMethod", "The specified SignatureMethod is not supported.")
	case in.given.Get("SignatureVersion") != "1.0":
		return refuse(400, "IncompleteSignature", "The request signature does not conform to Aliyun standards: SignatureVersion must be 1.0.")
	case in.given.Get("SignatureType") != "":
		return refuse(400, "IncompleteSignature", "The request signature does not conform to Aliyun standards: this SignatureType is not supported.")
	case in.given.Get("Signature") == "":
		return refuse(400, "IncompleteSignature", "The request signature does not conform to Aliyun standards.")
	}
	return nil
}

func (s *Server) findKey(in *incoming, now time.Time) (AccessKey, *APIError) {
	key, known := s.directory.key(in.accessKeyID)
	if !known {
		return AccessKey{}, refuse(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
	}
	switch {
	case key.Disabled:
		return key, refuse(400, "InvalidAccessKeyId.Inactive", "Specified access key is disabled.")
	case key.SecurityToken == "" && in.token != "":
		return key, refuse(400, "InvalidSecurityToken.MismatchWithAccessKey", "Specified SecurityToken mismatch with the AccessKey.")
	case key.SecurityToken == "":
		return key, nil
	case in.token == "":
		return key, refuse(400, "MissingSecurityToken", "SecurityToken is mandatory for this action.")
	case in.token != key.SecurityToken:
		return key, refuse(400, "InvalidSecurityToken.Malformed", "Specified SecurityToken is malformed.")
	case !key.Expires.IsZero() && now.After(key.Expires):
		return key, refuse(400, "InvalidSecurityToken.Expired", "Specified SecurityToken is expired.")
	}
	return key, nil
}

func (in *incoming) verifyRPC(key AccessKey) *APIError {
	toSign := rpcStringToSign(in.request.Method, in.given)
	if !equalText(rpcSignature(key.Secret, toSign), in.given.Get("Signature")) {
		return refuse(400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation. server string to sign is:%s", toSign)
	}
	return nil
}

func (in *incoming) verifyACS3(key AccessKey) *APIError {
	parsed, _ := parseACS3Authorization(in.request.Header.Get("Authorization")) // authenticate has checked it
	if !parsed.coversWhatMatters(in.request) {
		return refuse(400, "IncompleteSignature", "The signed headers must be sorted and hold host and every x-acs header.")
	}
	hash := in.request.Header.Get("x-acs-content-sha256")
	if hash != sha256Hex(in.body) {
		return refuse(400, "SignatureDoesNotMatch", "The x-acs-content-sha256 header is not the hash of the body.")
	}
	toSign := acs3StringToSign(acs3CanonicalRequest(in.request, in.query, parsed.signedHeaders, hash))
	if !equalText(acs3Signature(key.Secret, toSign), strings.ToLower(parsed.signature)) {
		return refuse(400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation. server string to sign is:%s", toSign)
	}
	return nil
}

func equalText(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// nonceMemory remembers the nonces of the last window, so that none is used twice.
type nonceMemory struct {
	mu      sync.Mutex
	seen    map[nonceKey]int64 // unix seconds
	cleaned time.Time
}

// nonceKey is the beginning of the hash of a nonce with its key: short, for there are many.
type nonceKey [16]byte

func newNonceMemory() *nonceMemory { return &nonceMemory{seen: map[nonceKey]int64{}} }

// first reports whether the nonce has not been seen in the window, and remembers it. The window is twice the freshness, since a
// timestamp may lie ahead as well as behind.
func (m *nonceMemory) first(nonce string, now time.Time) bool {
	sum := sha256.Sum256([]byte(nonce))
	hashed := nonceKey(sum[:16])
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.cleaned) > freshness {
		for old, at := range m.seen {
			if now.Sub(time.Unix(at, 0)) > 2*freshness {
				delete(m.seen, old)
			}
		}
		m.cleaned = now
	}
	if _, used := m.seen[hashed]; used {
		return false
	}
	m.seen[hashed] = now.Unix()
	return true
}
