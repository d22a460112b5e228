package acctest

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // It is what the API signs with.
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Call calls an action of ECS as somebody else who uses the same account would, by
// other means than the provider's. It has to succeed.
func (c *Cloud) Call(t testing.TB, action string, parameters map[string]string) {
	t.Helper()

	query := url.Values{
		"Action": {action}, "Version": {"2014-05-26"}, "Format": {"JSON"}, "RegionId": {ecsemulator.DefaultRegionID},
		"AccessKeyId": {ecsemulator.DefaultAccessKeyID}, "SignatureMethod": {"HMAC-SHA1"}, "SignatureVersion": {"1.0"},
		"SignatureNonce": {rand.Text()}, "Timestamp": {time.Now().UTC().Format("2006-01-02T15:04:05Z")},
	}
	for name, value := range maps.All(parameters) {
		query.Set(name, value)
	}

	escape := strings.NewReplacer("+", "%20", "*", "%2A", "%7E", "~").Replace
	signed := hmac.New(sha1.New, []byte(ecsemulator.DefaultAccessKeySecret+"&"))
	_, _ = io.WriteString(signed, "POST&%2F&"+escape(url.QueryEscape(escape(query.Encode()))))
	query.Set("Signature", base64.StdEncoding.EncodeToString(signed.Sum(nil)))

	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.Endpoint()+"/?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s %v", action, response.Status, body, err)
	}
}

// Strip takes tags off a machine.
func (c *Cloud) Strip(t testing.TB, machine ecsemulator.Instance, keys ...string) {
	t.Helper()

	for _, key := range keys {
		c.Call(t, "UntagResources", map[string]string{"ResourceType": "instance", "ResourceId.1": machine.ID, "TagKey.1": key})
	}
}
