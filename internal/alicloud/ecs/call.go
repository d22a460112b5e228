package ecs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/auth/credentials"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
)

// largestAnswer bounds the memory of one answer; a full page of instances is
// below one percent of it.
const largestAnswer = 64 << 20

// call is one method call: one or more attempts of the same request.
type call struct {
	action  string
	product product
	region  string
	// mutates is set if the request has an effect. Then an attempt that is on the
	// wire is awaited even if the caller gives up.
	mutates bool
	// secrets are values of the request that an answer might echo.
	secrets []string
	// unsigned, if it is set, is what the call brings instead of a signature.
	unsigned url.Values
	// request makes the request and the answer to decode into. Each attempt has
	// new ones, as the SDK's keep parameters of an earlier use. No request means that
	// nobody wants the call any more.
	request func() (requests.AcsRequest, responses.AcsResponse)
	// check says what a decoded answer lacks, "" if nothing. It may be nil.
	check func() string
	// repeats says whether a refusal of this class is answered by the same request.
	repeats func(Class) bool
	// failed is told of every failed attempt. It may be nil.
	failed func(*Error)
	// unbounded calls have somebody else who ends them.
	unbounded bool
	// once is set if a second effect would be one too many: an attempt that may have
	// taken effect is not repeated.
	once bool
}

// attempt sends the request once. It returns the answer's request ID, and nil if
// the API accepted.
//
// Of the SDK it uses what makes a request and what reads an answer, and not what
// sends it. The SDK's sending keeps state in the client that races, has no
// context, takes regular expressions from NO_PROXY, names trace spans by the
// whole query, and with DEBUG=sdk prints every parameter and answer.
func (c *Client) attempt(ctx context.Context, k call) (requestID string, failure *Error) {
	var (
		sent  bool
		value CredentialValue
	)
	scrub := newScrubber(k.secrets...)
	defer func() {
		if recovered := recover(); recovered != nil {
			failure = k.failure(fmt.Sprintf("the client failed on it: %s", scrub.transport(fmt.Sprint(recovered))))
			failure.Class, failure.Ambiguous = ClassUnknown, sent && k.mutates
		}
	}()

	var err error
	if k.unsigned == nil {
		if value, err = c.credentials.Credentials(ctx); err == nil {
			err = value.validate()
		}
	}
	if ctx.Err() != nil {
		return "", k.ended(ctx)
	}
	if err != nil {
		failure = k.failure("not sent")
		failure.Class, failure.Err = ClassCredentials, scrub.cause(err)
		return "", failure
	}
	scrub = newScrubber(append([]string{value.AccessKeyID, value.AccessKeySecret, value.SecurityToken}, k.secrets...)...)

	wireContext, cancel := k.wireContext(ctx)
	defer cancel()
	request, answer := k.request()
	if request == nil {
		failure = k.failure("")
		failure.Err = context.Canceled
		return "", failure
	}
	httpRequest, err := c.sign(wireContext, k, request, value)
	if err != nil {
		failure = k.failure("the request could not be built")
		failure.Class, failure.Err = ClassConfiguration, scrub.cause(err)
		return "", failure
	}
	sent = true
	defer c.tellOfWait(ctx, k)()
	response, err := c.transport.RoundTrip(httpRequest)
	if err != nil {
		return "", k.unanswered(ctx, wireContext, c.toEndpoint(k), err, scrub)
	}
	body, err := readBody(response)
	if err != nil {
		return "", k.unanswered(ctx, wireContext, c.toEndpoint(k), err, scrub)
	}
	requestID, failure = k.read(response, body, answer, scrub)
	switch {
	case failure == nil, failure.Code != "":
		c.reach.answers(c.hostOf(k))
	case failure.foreign:
		failure.Message += ": the call went to " + c.toEndpoint(k)
	}
	if failure != nil && failure.Code == expiredToken {
		if source, refreshes := c.credentials.(interface{ Expired(CredentialValue) }); refreshes && k.unsigned == nil {
			source.Expired(value)
		}
	}
	return requestID, failure
}

// expiredToken is the code of a token that has ended, whatever its source says of
// its end. The call is repeated once, and the source asked for another.
const expiredToken = "InvalidSecurityToken.Expired"

// wireContext bounds one attempt. An attempt with an effect does not end with
// the caller's context: what became of it is worth more than the wait.
func (k call) wireContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if k.mutates {
		ctx = context.WithoutCancel(ctx)
	}
	return context.WithTimeout(ctx, actionTimeout(k.action))
}

// sign lets a cheap SDK client of its own, which nothing else uses, build and
// sign the request.
func (c *Client) sign(ctx context.Context, k call, request requests.AcsRequest, value CredentialValue) (*http.Request, error) {
	if k.unsigned != nil {
		return c.unsignedRequest(ctx, k)
	}
	var provider credentials.CredentialsProvider = credentials.NewStaticAKCredentialsProvider(value.AccessKeyID, value.AccessKeySecret)
	if value.SecurityToken != "" {
		provider = credentials.NewStaticSTSCredentialsProvider(value.AccessKeyID, value.AccessKeySecret, value.SecurityToken)
	}
	client, err := sdk.NewClientWithOptions(k.region, sdk.NewConfig(), provider)
	if err != nil {
		return nil, err
	}
	scheme, host := c.endpoint(k.product, k.region)
	request.SetScheme(scheme)
	request.SetDomain(host)
	if err := client.BuildRequestWithSigner(request, nil); err != nil {
		return nil, err
	}
	httpRequest, err := http.NewRequestWithContext(ctx, request.GetMethod(), request.BuildUrl(), request.GetBodyReader())
	if err != nil {
		return nil, err
	}
	for name, header := range request.GetHeaders() {
		httpRequest.Header.Set(name, header)
	}
	httpRequest.Header.Set("User-Agent", c.userAgent)
	return httpRequest, nil
}

// readBody returns the whole answer.
func readBody(response *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	closeErr := response.Body.Close()
	if err != nil {
		return nil, err
	}
	if len(body) > largestAnswer {
		return nil, fmt.Errorf("the answer is larger than %d bytes", largestAnswer)
	}
	return body, closeErr
}

// read decodes an answer.
func (k call) read(response *http.Response, body []byte, answer responses.AcsResponse, scrub scrubber) (string, *Error) {
	envelope, readable := readEnvelope(body)
	if response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusMultipleChoices {
		return envelope.requestID, k.refused(response.StatusCode, envelope, readable, scrub)
	}
	malformed, foreign := "", false
	response.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case !readable || envelope.requestID == "":
		malformed, foreign = "the answer is not one of the API's (it has no RequestId)", true
	case responses.Unmarshal(answer, response, "JSON") != nil:
		// The decoder's text quotes the answer, so it is not told.
		malformed = "the answer could not be decoded"
	case k.check != nil:
		malformed = k.check()
	}
	if malformed == "" {
		return envelope.requestID, nil
	}
	failure := k.failure(malformed)
	failure.Status, failure.RequestID = response.StatusCode, scrub.text(envelope.requestID)
	failure.Class, failure.Ambiguous, failure.foreign = ClassTransient, k.mutates, foreign
	return failure.RequestID, failure
}
