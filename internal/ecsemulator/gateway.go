package ecsemulator

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxBody bounds what is read of a request body, in bytes. Bigger than any legal request.
const maxBody = 4 << 20

// incoming is a request as it came, before anything is believed.
type incoming struct {
	request *http.Request
	query   url.Values
	body    []byte
	// given is the union of query and form.
	given url.Values
	// acs3 is set for the header signature; then Action, Version, timestamp and nonce come from headers.
	acs3        bool
	action      string
	version     service
	format      string
	timestamp   string
	nonce       string
	accessKeyID string
	token       string
}

// receive reads a request. It refuses what is no RPC request at all, in the format that the part that could be read asks for.
func receive(w http.ResponseWriter, r *http.Request) (incoming, *APIError) {
	in := incoming{request: r, query: url.Values{}, given: url.Values{}}
	refusal := in.read(w, r)
	// Unsigned calls come with the headers of that scheme too, without Authorization.
	in.acs3 = strings.HasPrefix(r.Header.Get("Authorization"), "ACS3-") ||
		r.Header.Get("Authorization") == "" && r.Header.Get("x-acs-action") != "" && !in.given.Has("Action") && !in.given.Has("AccessKeyId")
	in.readProtocol()
	return in, refusal
}

func (in *incoming) read(w http.ResponseWriter, r *http.Request) *APIError {
	query, err := url.ParseQuery(r.URL.RawQuery)
	in.query = query
	in.add(query)
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		return refuse(403, "UnsupportedHTTPMethod", "This http method is not supported.")
	}
	if err != nil || !isText(query) {
		return refuse(400, "InvalidParameter", "The query string is malformed.")
	}
	in.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return refuse(400, "InvalidParameter", "The request body cannot be read or is too large.")
	}
	if len(in.body) > 0 {
		media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || media != "application/x-www-form-urlencoded" {
			return refuse(400, "InvalidParameter", "The content type %q is not supported.", clip(r.Header.Get("Content-Type")))
		}
		form, err := url.ParseQuery(string(in.body))
		if err != nil || !isText(form) {
			return refuse(400, "InvalidParameter", "The form is malformed.")
		}
		in.add(form)
	}
	return nil
}

// isText reports whether names and values are UTF-8, which the signature is defined over.
func isText(values url.Values) bool {
	for name, list := range values {
		if !utf8.ValidString(name) || slices.ContainsFunc(list, func(value string) bool { return !utf8.ValidString(value) }) {
			return false
		}
	}
	return true
}

func (in *incoming) add(values url.Values) {
	for name, list := range values {
		in.given[name] = append(in.given[name], list...)
	}
}

func (in *incoming) readProtocol() {
	in.action, in.version = in.given.Get("Action"), service(in.given.Get("Version"))
	in.format = strings.ToUpper(in.given.Get("Format"))
	in.timestamp, in.nonce = in.given.Get("Timestamp"), in.given.Get("SignatureNonce")
	in.accessKeyID, in.token = in.given.Get("AccessKeyId"), in.given.Get("SecurityToken")
	if in.acs3 {
		header := in.request.Header
		in.action, in.version = header.Get("x-acs-action"), service(header.Get("x-acs-version"))
		in.timestamp, in.nonce = header.Get("x-acs-date"), header.Get("x-acs-signature-nonce")
		in.token = header.Get("x-acs-security-token")
		if in.format == "" {
			in.format = "JSON"
		}
	}
	if in.format == "" {
		in.format = "XML"
	}
}

// serveAPI is one call from arrival to answer.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	requestID := newRequestID()
	in, refusal := receive(w, r)
	call := Call{
		RequestID: requestID, Time: s.clock.now(), Action: clip(in.action), Version: clip(string(in.version)), Method: clip(r.Method),
		AccessKeyID: clip(in.accessKeyID), RegionID: clip(in.given.Get("RegionId")),
	}
	call.ID = s.calls.arrive(call)
	answer := &answer{in: in, requestID: requestID, service: in.version, region: in.given.Get("RegionId")}
	if refusal == nil {
		s.process(&in, answer, call.ID)
	} else {
		answer.refusal = refusal
	}
	call.AccessKeyID = clip(in.accessKeyID) // the header signature has shown it by now
	call.Status, call.Code = answer.send(w)
	s.calls.finish(call)
	s.options.Logger.Info("call", "action", call.Action, "status", call.Status, "code", call.Code, "request_id", requestID,
		"access_key_id", call.AccessKeyID, "region", call.RegionID)
}

// process authenticates, decodes and runs a call, with the rules that apply to it, and fills in the answer.
func (s *Server) process(in *incoming, answer *answer, entry int) {
	var key AccessKey
	var a *action
	if known := s.actions[actionKey{in.version, in.action}]; known != nil && known.unsigned {
		key = AccessKey{AccountID: s.options.AccountID}
	} else {
		key, answer.refusal = s.authenticate(in)
		s.calls.signedBy(entry, in.accessKeyID)
	}
	if answer.refusal == nil {
		a, answer.refusal = s.find(in)
	}
	if answer.refusal != nil {
		answer.refusal = s.CurrentBehavior().GatewayCodes.refusal(answer.refusal)
		return
	}
	answer.service = a.service
	s.calls.describe(entry, maskedParameters(a.table, in.given))
	c := &call{server: s, action: a, key: key, id: entry, requestID: answer.requestID}
	if c.parameters, answer.refusal = decodeParameters(a.table, in.given); answer.refusal != nil {
		return
	}
	c.verdict = s.rules.judge(c, s.clock.now())
	c.key.AccountID = orDefault(c.verdict.accountID, c.key.AccountID)
	if s.obey(c, MomentBefore, answer) {
		return
	}
	answer.result, answer.refusal = s.perform(c, answer)
	s.obey(c, MomentAfter, answer)
}

func (s *Server) find(in *incoming) (*action, *APIError) {
	switch in.version {
	case serviceECS, serviceVPC, serviceSTS:
	default:
		return nil, refuse(404, "InvalidProduct.NotFound", "Cannot find product according to your specified domain and version %q.", clip(string(in.version)))
	}
	a, known := s.actions[actionKey{in.version, in.action}]
	if !known {
		return nil, refuse(404, "InvalidApi.NotFound", "Specified api is not found, please check your url and method.")
	}
	return a, nil
}

// perform finds the region and runs the action once, under its ClientToken if it has one.
func (s *Server) perform(c *call, answer *answer) (any, *APIError) {
	if id := c.string("RegionId"); id != "" {
		region, known := s.options.Catalogue.region(id)
		if !known {
			return nil, refuse(404, "InvalidRegionId.NotFound", "The specified RegionId does not exist.")
		}
		c.region = region
	} else if !c.action.anyRegion {
		return nil, missingParameter("RegionId")
	}
	if c.checkPermission(); c.verdict.denied && c.action.name != "GetCallerIdentity" && (c.action.name != "DescribeInstances" || c.boolean("DryRun", false)) {
		return nil, c.forbidden()
	}
	return s.withToken(c, func() (any, *APIError) {
		if s.obey(c, MomentDuring, answer) {
			return nil, abandoned()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		c.enter()
		return c.runWithIncidents()
	})
}

// forbidden is the answer to a call that RAM denies.
func (c *call) forbidden() *APIError {
	name := strings.ToLower(c.action.service.product()) + ":" + c.action.name
	if c.action.service == serviceSTS {
		return stsNoPermission()
	}
	principalType, display, noPermission := "SubUser", c.key.UserName, "ImplicitDeny"
	if c.key.RoleName != "" {
		principalType, display = "AssumedRoleUser", c.key.RoleName+":"+c.key.SessionName
	}
	if c.explicitlyDenied {
		noPermission = "ExplicitDeny"
	}
	refusal := refuse(403, "Forbidden.RAM", "User not authorized to operate on the specified resource, or this API doesn't support RAM.")
	refusal.AccessDeniedDetail = map[string]any{
		"AuthAction": name, "AuthPrincipalType": principalType, "AuthPrincipalOwnerId": c.key.AccountID,
		"AuthPrincipalDisplayName": display, "NoPermissionType": noPermission, "PolicyType": "AccountLevelIdentityBasedPolicy",
	}
	return refusal
}
