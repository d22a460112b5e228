package ecsemulator

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The corpora lie in testdata/fuzz. `go test` runs them; `go test -fuzz FuzzName -fuzztime 60s` looks for more.

// fuzzServer is a server for one worker.
func fuzzServer(f *testing.F) *Server {
	f.Helper()
	server, err := Start(f.Context(), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := server.Close(); err != nil {
			f.Error(err)
		}
	})
	return server
}

// fuzzRequest makes a request as net/http would hand it over, of parts that it has not checked.
func fuzzRequest(t *testing.T, method, query, contentType, body, authorization string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", strings.NewReader(body))
	r.Method, r.URL.RawQuery = method, query
	r.Header.Set("Content-Type", contentType)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
		for name, value := range map[string]string{
			"x-acs-action": "DescribeRegions", "x-acs-version": "2014-05-26", "x-acs-date": time.Now().UTC().Format(timestampLayout),
			"x-acs-signature-nonce": "n", "x-acs-content-sha256": sha256Hex([]byte(body)),
		} {
			r.Header.Set(name, value)
		}
	}
	return r
}

// checkAnswer is what holds of every answer whatsoever.
func checkAnswer(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	var document struct{ RequestID, Code string }
	switch body := answer.Body.Bytes(); {
	case strings.HasPrefix(answer.Header().Get("Content-Type"), "application/json"):
		if err := json.Unmarshal(body, &document); err != nil {
			t.Errorf("no JSON: %v in %q", err, body)
		}
	default:
		if err := xml.Unmarshal(body, &struct{ XMLName xml.Name }{}); err != nil {
			t.Errorf("no XML: %v in %q", err, body)
		}
	}
	if answer.Header().Get("x-acs-request-id") == "" || answer.Code >= 500 {
		t.Errorf("answered %d %v %q", answer.Code, answer.Header(), answer.Body)
	}
}

// FuzzRequest checks that nothing unsigned is ever let in, and that every refusal is a proper one.
func FuzzRequest(f *testing.F) {
	server := fuzzServer(f)
	f.Add("POST", "Action=RunInstances&Version=2014-05-26&Format=JSON", "application/x-www-form-urlencoded", "Amount=1", "")
	f.Fuzz(func(t *testing.T, method, query, contentType, body, authorization string) {
		answer := httptest.NewRecorder()
		server.serveAPI(answer, fuzzRequest(t, method, query, contentType, body, authorization))
		checkAnswer(t, answer)
		if answer.Code < 400 {
			t.Errorf("let in: %d %q", answer.Code, answer.Body)
		}
		server.ResetCalls()
	})
}

// fuzzSign signs by code of its own: by sorting in Encode, not in the server's way.
func fuzzSign(method, secret string, given url.Values) string {
	given = valuesWithout(given, "Signature")
	canonical := strings.NewReplacer("+", "%20", "*", "%2A", "%7E", "~").Replace(given.Encode())
	mac := hmac.New(sha1.New, []byte(secret+"&"))
	_, _ = io.WriteString(mac, method+"&%2F&"+strings.ReplaceAll(url.QueryEscape(canonical), "+", "%20"))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// valuesWithout copies values without one name.
func valuesWithout(given url.Values, without string) url.Values {
	kept := url.Values{}
	for name, list := range given {
		if name != without {
			kept[name] = list
		}
	}
	return kept
}

// FuzzSignedRequest checks that what is signed is decoded and carried out or refused properly, whatever it asks for.
func FuzzSignedRequest(f *testing.F) {
	server := fuzzServer(f)
	f.Add("Action=RunInstances&InstanceType=ecs.g7.large&ImageId=m-acme2&VSwitchId=vsw-a&SecurityGroupId=sg-1")
	f.Fuzz(func(t *testing.T, query string) {
		given, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		for name, value := range map[string]string{
			"AccessKeyId": DefaultAccessKeyID, "SignatureMethod": "HMAC-SHA1", "SignatureVersion": "1.0", "SignatureType": "",
			"SignatureNonce": newRequestID(), "Timestamp": time.Now().UTC().Format(timestampLayout), "Format": "JSON",
		} {
			given.Set(name, value)
		}
		given.Del("SecurityToken")
		for name, usual := range map[string]string{"Action": "RunInstances", "Version": string(serviceECS), "RegionId": "cn-hangzhou"} {
			if !given.Has(name) {
				given.Set(name, usual)
			}
		}
		given.Set("Signature", fuzzSign(http.MethodGet, DefaultAccessKeySecret, given))
		answer := httptest.NewRecorder()
		server.serveAPI(answer, fuzzRequest(t, http.MethodGet, given.Encode(), "", "", ""))
		checkAnswer(t, answer)
		if strings.Contains(answer.Body.String(), "Signature") && answer.Code >= 400 {
			t.Errorf("a right signature is refused: %s", answer.Body)
		}
		for _, i := range server.Instances() {
			if err := server.RemoveInstance(i.ID); err != nil {
				t.Error(err)
			}
		}
		server.ResetCalls()
	})
}

// FuzzRPCSignature checks that the signature of code of its own is taken, and that no other text, secret or method is.
func FuzzRPCSignature(f *testing.F) {
	f.Add("Action=DescribeRegions&Timestamp=2016-02-23T12:46:24Z", "testsecret", "x")
	f.Fuzz(func(t *testing.T, query, secret, other string) {
		given, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		given.Del("Signature")
		right := fuzzSign(http.MethodPost, secret, given)
		verify := func(method, secret, signature string) bool {
			given.Set("Signature", signature)
			defer given.Del("Signature")
			in := incoming{request: &http.Request{Method: method}, given: given}
			return in.verifyRPC(AccessKey{Secret: secret}) == nil
		}
		if !verify(http.MethodPost, secret, right) {
			t.Error("a right signature is refused")
		}
		if verify(http.MethodGet, secret, right) {
			t.Error("the method is not signed")
		}
		if other != right && verify(http.MethodPost, secret, other) {
			t.Errorf("%q is taken for a signature", other)
		}
		// HMAC pads keys with zero bytes: those that differ in nothing else are the same key.
		if longer := secret + "x"; len(longer) < sha1.BlockSize && verify(http.MethodPost, longer, right) {
			t.Error("another secret is taken")
		}
		given.Add("Extra", other)
		if verify(http.MethodPost, secret, right) {
			t.Error("a further parameter is not signed")
		}
	})
}

// FuzzHeaderSignature checks the same of the header signature, and that no Authorization header makes it fail otherwise.
func FuzzHeaderSignature(f *testing.F) {
	f.Add("RegionId=cn-shanghai", "YourAccessKeySecret", "ACS3-HMAC-SHA256 Credential=a,SignedHeaders=host;x-acs-date,Signature=00")
	f.Fuzz(func(t *testing.T, query, secret, authorization string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		r := fuzzRequest(t, http.MethodPost, query, "", "", "ACS3-HMAC-SHA256 ")
		names := []string{"host", "x-acs-action", "x-acs-content-sha256", "x-acs-date", "x-acs-signature-nonce", "x-acs-version"}
		canonical := "POST\n/\n" + strings.NewReplacer("+", "%20", "*", "%2A", "%7E", "~").Replace(values.Encode()) + "\nhost:127.0.0.1\n"
		for _, name := range names[1:] {
			canonical += name + ":" + r.Header.Get(name) + "\n"
		}
		canonical += "\n" + strings.Join(names, ";") + "\n" + r.Header.Get("x-acs-content-sha256")
		sum := sha256.Sum256([]byte(canonical))
		mac := hmac.New(sha256.New, []byte(secret))
		_, _ = io.WriteString(mac, "ACS3-HMAC-SHA256\n"+hex.EncodeToString(sum[:]))
		right := "ACS3-HMAC-SHA256 Credential=a,SignedHeaders=" + strings.Join(names, ";") + ",Signature=" + hex.EncodeToString(mac.Sum(nil))
		verify := func(header string) bool {
			r.Header.Set("Authorization", header)
			in := incoming{request: r, query: values, acs3: true}
			if _, ok := parseACS3Authorization(header); !ok {
				return false
			}
			return in.verifyACS3(AccessKey{Secret: secret}) == nil
		}
		if !verify(right) {
			t.Error("a right signature is refused")
		}
		if parsed, _ := parseACS3Authorization(authorization); parsed.signature != hex.EncodeToString(mac.Sum(nil)) && verify(authorization) {
			t.Errorf("%q is taken for a signature", authorization)
		}
		values.Add("Extra", "1")
		if verify(right) {
			t.Error("a further parameter is not signed")
		}
	})
}
