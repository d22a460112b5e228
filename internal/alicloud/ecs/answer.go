package ecs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// envelope is what every answer of the API has around what it is about.
type envelope struct {
	requestID, code, message, recommend string
	accessDenied                        map[string]any
}

// readEnvelope reads it leniently: a field of an unexpected kind is read as its
// text or left out. It returns false if the body is no JSON object.
func readEnvelope(body []byte) (envelope, bool) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil || fields == nil {
		return envelope{}, false
	}
	denied, _ := fields["AccessDeniedDetail"].(map[string]any)
	return envelope{
		requestID:    scalar(fields["RequestId"]),
		code:         scalar(fields["Code"]),
		message:      scalar(fields["Message"]),
		recommend:    scalar(fields["Recommend"]),
		accessDenied: denied,
	}, true
}

func scalar(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	default:
		return ""
	}
}

// deniedText picks what helps from the detail of a denial.
func deniedText(detail map[string]any) string {
	var parts []string
	for _, name := range []string{"AuthAction", "NoPermissionType", "PolicyType", "AuthPrincipalType"} {
		if value := scalar(detail[name]); value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "denied: " + strings.Join(parts, ", ")
}

func (k call) failure(message string) *Error {
	return &Error{Action: k.action, Region: k.region, Message: message, Class: ClassUnknown}
}

// ended is an attempt that the caller's context ended, or kept from beginning.
func (k call) ended(ctx context.Context) *Error {
	failure := k.failure("")
	failure.Err = ctx.Err()
	return failure
}

// refused is an answer that says no.
func (k call) refused(status int, envelope envelope, readable bool, scrub scrubber) *Error {
	failure := k.failure("")
	failure.Status = status
	if readable {
		failure.Code = scrub.text(envelope.code)
		failure.Message = scrub.text(envelope.message)
		failure.RequestID = scrub.text(envelope.requestID)
		failure.Recommend = scrub.text(envelope.recommend)
		failure.AccessDenied = scrub.text(deniedText(envelope.accessDenied))
	} else {
		// The text of a proxy or balancer tends to repeat the request.
		failure.Message = "the answer is not one of the API's: " + strings.ToLower(http.StatusText(status)) +
			" from something in between, or from a wrong endpoint"
	}
	decided := classify(k.action, failure.Code, failure.Message, status)
	failure.Class, failure.Scopes = decided.class, decided.scopes
	if !readable && failure.Class == ClassConfiguration {
		// It is not the request that is wrong.
		failure.Class, failure.foreign = ClassUnreachable, true
	}
	failure.Ambiguous = k.mutates && mayHaveTakenEffect(failure)
	return failure
}

// unanswered is an attempt that got no answer, or not a whole one; to says where it
// went.
func (k call) unanswered(ctx, wireContext context.Context, to string, err error, scrub scrubber) *Error {
	if !k.mutates && ctx.Err() != nil {
		return k.ended(ctx)
	}
	failure := k.failure("no answer")
	failure.Class, failure.Ambiguous = ClassTransient, k.mutates
	switch {
	case wireContext.Err() != nil:
		failure.Message = fmt.Sprintf("no answer within %s", actionTimeout(k.action))
		return failure
	case throughProxy(err):
		failure.Message, failure.Ambiguous, failure.unreachable = "no connection to the proxy that leads to "+to, false, true
	case neverConnected(err):
		failure.Message, failure.Ambiguous, failure.unreachable = "no connection to "+to, false, true
	case wrongEndpoint(err):
		failure.Message, failure.Ambiguous = "no connection that can be trusted to "+to+"; its protocol or its certificate is not as expected", false
		failure.Class = ClassUnreachable
	}
	failure.Err = scrub.cause(err)
	return failure
}

// neverConnected reports whether the request cannot have reached a server.
func neverConnected(err error) bool {
	var operation *net.OpError
	var resolution *net.DNSError
	return errors.As(err, &resolution) ||
		errors.As(err, &operation) && (operation.Op == "dial" || operation.Op == "proxyconnect")
}

// wrongEndpoint reports whether whatever answered will answer so again.
func wrongEndpoint(err error) bool {
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	return errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// cause returns an error of this side of the wire without secrets. Its chain is
// kept only where no text in it had to be changed.
func (s scrubber) cause(err error) error {
	var withURL *url.Error
	for errors.As(err, &withURL) && withURL.Err != nil {
		err = withURL.Err
	}
	if text := s.transport(err.Error()); text != err.Error() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return errors.New(text)
	}
	return err
}
