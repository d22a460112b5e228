package ecs

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	stssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/sts"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// stsVersion is the API version of STS.
const stsVersion = "2015-04-01"

// RoleSession says which role to assume, and for how long.
type RoleSession struct {
	RoleARN     string
	SessionName string
	// Duration is 15 minutes to the role's longest; 0 leaves it to the API.
	Duration time.Duration
	// Policy narrows what the session may do; it may be empty.
	Policy string
	// ExternalID is what the role's trust may ask for. AssumeRoleWithOIDC takes none.
	ExternalID string
}

// AssumeRole opens a session of a role, as the client's credentials, and returns
// its key and when that ends.
//
// Source: STS, AssumeRole.
func (c *Client) AssumeRole(ctx context.Context, session RoleSession) (CredentialValue, time.Time, error) {
	const action = "AssumeRole"
	region, err := c.regionOf(action, "")
	if err != nil {
		return CredentialValue{}, time.Time{}, err
	}
	var answer *stssdk.AssumeRoleResponse
	_, err = c.do(ctx, call{
		action: action, product: productSTS, region: region, repeats: readRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := stssdk.CreateAssumeRoleRequest()
			request.RoleArn = session.RoleARN
			request.RoleSessionName = session.SessionName
			request.Policy = session.Policy
			request.ExternalId = session.ExternalID
			if session.Duration > 0 {
				request.DurationSeconds = requests.NewInteger(int(session.Duration / time.Second))
			}
			answer = stssdk.CreateAssumeRoleResponse()
			return request, answer
		},
		check: func() string { return checkSession(answer.Credentials) },
	})
	if err != nil {
		return CredentialValue{}, time.Time{}, err
	}
	value, ends := sessionValue(answer.Credentials)
	return value, ends, nil
}

// AssumeRoleWithOIDC opens a session of a role for who brings the token of an
// OIDC identity provider, and returns its key and when that ends. The client's
// credentials are not used: the call is not signed.
//
// Source: STS, AssumeRoleWithOIDC.
func (c *Client) AssumeRoleWithOIDC(ctx context.Context, session RoleSession, providerARN, token string) (CredentialValue, time.Time, error) {
	const action = "AssumeRoleWithOIDC"
	region, err := c.regionOf(action, "")
	if err != nil {
		return CredentialValue{}, time.Time{}, err
	}
	form := url.Values{
		"RoleArn": {session.RoleARN}, "RoleSessionName": {session.SessionName}, "OIDCProviderArn": {providerARN}, "OIDCToken": {token},
	}
	if session.Policy != "" {
		form.Set("Policy", session.Policy)
	}
	if session.Duration > 0 {
		form.Set("DurationSeconds", strconv.Itoa(int(session.Duration/time.Second)))
	}
	var answer *stssdk.AssumeRoleWithOIDCResponse
	_, err = c.do(ctx, call{
		action: action, product: productSTS, region: region, repeats: readRepeats,
		// A token is longer than addresses may be, so it travels in the body.
		unsigned: form, secrets: []string{token},
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			answer = stssdk.CreateAssumeRoleWithOIDCResponse()
			return stssdk.CreateAssumeRoleWithOIDCRequest(), answer
		},
		check: func() string { return checkSession(answer.Credentials) },
	})
	if err != nil {
		return CredentialValue{}, time.Time{}, err
	}
	value, ends := sessionValue(answer.Credentials)
	return value, ends, nil
}

func checkSession(key stssdk.Credentials) string {
	value, ends := sessionValue(key)
	if value.validate() != nil || value.SecurityToken == "" || ends.IsZero() {
		return "accepted, but the answer has no whole temporary key"
	}
	return ""
}

func sessionValue(key stssdk.Credentials) (CredentialValue, time.Time) {
	return CredentialValue{AccessKeyID: key.AccessKeyId, AccessKeySecret: key.AccessKeySecret, SecurityToken: key.SecurityToken}, parseTime(key.Expiration)
}

// unsignedRequest makes the request of a call that is proven by what it brings.
func (c *Client) unsignedRequest(ctx context.Context, k call) (*http.Request, error) {
	scheme, host := c.endpoint(k.product, k.region)
	query := url.Values{
		"Action": {k.action}, "Version": {stsVersion}, "Format": {"JSON"},
		"Timestamp": {time.Now().UTC().Format("2006-01-02T15:04:05Z")}, "SignatureNonce": {string(uuid.NewUUID())},
	}
	address := fmt.Sprintf("%s://%s/?%s", scheme, host, query.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(k.unsigned.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("User-Agent", c.userAgent)
	return request, nil
}
