package ecsemulator

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// RuleKind says what a Rule does to the calls it matches.
type RuleKind string

// The kinds of rules.
const (
	// RuleHold stops a call until Release lets it go on.
	RuleHold RuleKind = "hold"
	// RuleDelay makes a call wait for Seconds of virtual time.
	RuleDelay RuleKind = "delay"
	// RuleError answers Code with HTTPStatus and Message.
	RuleError RuleKind = "error"
	// RuleHTML answers 502 with a page of HTML, as a load balancer does.
	RuleHTML RuleKind = "html"
	// RuleMalformed answers 200 with half a JSON document; with Code set, HTTPStatus with a JSON error whose Code is a number.
	RuleMalformed RuleKind = "malformed"
	// RuleCut closes the connection without an answer.
	RuleCut RuleKind = "cut"
	// RuleThrottle refuses calls beyond PerMinute in a minute of virtual time, per account, region and action, with Code and HTTPStatus:
	// Throttling.User and 400 if Code is empty.
	RuleThrottle RuleKind = "throttle"
	// RuleDeny denies by RAM policy: Forbidden.RAM, or for DescribeInstances what Behavior.DeniedDescribe says.
	RuleDeny RuleKind = "deny"
	// RuleSoldOut refuses a launch with OperationDenied.NoStock, as if stock had run out.
	RuleSoldOut RuleKind = "sold-out"
	// RuleWithdraw lets a launch succeed and takes its instances away Seconds of virtual time later.
	RuleWithdraw RuleKind = "withdraw"
	// RuleConceal leaves the instances of a launch out of reads for Seconds.
	RuleConceal RuleKind = "conceal"
	// RuleLinger keeps instances that a call releases in reads for Seconds after they are gone.
	RuleLinger RuleKind = "linger"
	// RuleAccount answers as if the access key belonged to the account AccountID.
	RuleAccount RuleKind = "account"
	// RuleStop, RuleRelease, RuleReclaim, RuleLock and RuleUnlock let the Incident of that kind befall the instances that a call
	// launches or names, Seconds later. Those it names are struck before the call has its effect, or after it, as At says.
	RuleStop    RuleKind = RuleKind(IncidentStop)
	RuleRelease RuleKind = RuleKind(IncidentRelease)
	RuleReclaim RuleKind = RuleKind(IncidentReclaim)
	RuleLock    RuleKind = RuleKind(IncidentLock)
	RuleUnlock  RuleKind = RuleKind(IncidentUnlock)
)

// Moment is when a rule acts.
type Moment string

// The moments.
const (
	// MomentBefore is after the signature and the parameters were checked, before anything else. The default.
	MomentBefore Moment = "before"
	// MomentDuring is while the action runs: its ClientToken is taken, its effect is not yet there. For hold and delay.
	MomentDuring Moment = "during"
	// MomentAfter is when the effect is there and the answer is not yet sent.
	MomentAfter Moment = "after"
)

// Rule changes what happens to the calls that match. All of Action, RegionID, AccessKeyID and Parameters must match; each is a pattern
// in which * stands for any characters, and empty matches all. Calls refused by the gateway or for their parameters' form match no rule.
type Rule struct {
	// ID names the rule. Empty means that the server makes one up.
	ID          string            `json:"id,omitempty"`
	Kind        RuleKind          `json:"kind"`
	Action      string            `json:"action,omitempty"`
	RegionID    string            `json:"region_id,omitempty"`
	AccessKeyID string            `json:"access_key_id,omitempty"`
	Parameters  map[string]string `json:"parameters,omitempty"`
	// First is the number of the matching call, from 1, at which the rule begins to act; 0 means 1.
	First int `json:"first,omitempty"`
	// Times is how many calls the rule acts upon; 0 means all from First on.
	Times int `json:"times,omitempty"`
	// At is when the rule acts; empty means before the effect. Error, html, malformed and cut after the effect hide an effect that is
	// there.
	At         Moment  `json:"at,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"`
	Code       string  `json:"code,omitempty"`
	HTTPStatus int     `json:"http_status,omitempty"`
	Message    string  `json:"message,omitempty"`
	PerMinute  int     `json:"per_minute,omitempty"`
	// Reason is the lock of lock and unlock.
	Reason string `json:"reason,omitempty"`
	// AccountID is the account of account.
	AccountID string `json:"account_id,omitempty"`
}

// check completes a rule and refuses one that cannot work.
func (r Rule) check() (Rule, error) {
	r.At = orDefault(r.At, MomentBefore)
	switch r.At {
	case MomentBefore, MomentAfter:
	case MomentDuring:
		if r.Kind != RuleHold && r.Kind != RuleDelay {
			return r, fmt.Errorf("rule: %q cannot act during a call", r.Kind)
		}
	default:
		return r, fmt.Errorf("rule: at %q is none of before, during, after", r.At)
	}
	if r.First < 0 || r.Times < 0 || r.Seconds < 0 {
		return r, fmt.Errorf("rule: first, times and seconds must not be negative")
	}
	r.First = max(r.First, 1)
	switch r.Kind {
	case RuleHold, RuleHTML, RuleCut:
	case RuleDelay, RuleWithdraw:
		if r.Seconds == 0 && r.Kind == RuleDelay {
			return r, fmt.Errorf("rule: a delay needs seconds")
		}
	case RuleError:
		if r.Code == "" || r.HTTPStatus < 400 || r.HTTPStatus > 599 {
			return r, fmt.Errorf("rule: an error needs a code and an http_status of 400 to 599")
		}
	case RuleMalformed:
		if r.Code != "" && (r.HTTPStatus < 400 || r.HTTPStatus > 599) {
			return r, fmt.Errorf("rule: a malformed error needs an http_status of 400 to 599")
		}
	case RuleThrottle:
		if r.PerMinute < 1 {
			return r, fmt.Errorf("rule: a throttle needs per_minute of at least 1")
		}
		if r.Code == "" {
			r.Code, r.HTTPStatus = "Throttling.User", 400
		}
		if r.HTTPStatus < 400 || r.HTTPStatus > 599 {
			return r, fmt.Errorf("rule: a throttle with a code needs an http_status of 400 to 599")
		}
	case RuleDeny, RuleSoldOut:
	case RuleConceal, RuleLinger:
		if r.Seconds == 0 {
			return r, fmt.Errorf("rule: %q needs seconds", r.Kind)
		}
	case RuleAccount:
		if r.AccountID == "" {
			return r, fmt.Errorf("rule: account needs an account_id")
		}
	case RuleStop, RuleRelease, RuleReclaim, RuleLock, RuleUnlock:
		if err := (Incident{Kind: IncidentKind(r.Kind), Reason: r.Reason, Seconds: r.Seconds}).check(); err != nil {
			return r, fmt.Errorf("rule: %w", err)
		}
	default:
		return r, fmt.Errorf("rule: kind %q is unknown", r.Kind)
	}
	if r.At == MomentAfter && slices.Contains([]RuleKind{RuleThrottle, RuleDeny, RuleSoldOut, RuleWithdraw, RuleAccount}, r.Kind) {
		return r, fmt.Errorf("rule: %q acts before the effect only", r.Kind)
	}
	r.Parameters = maps.Clone(r.Parameters)
	return r, nil
}

func (r *Rule) fits(c *call) bool {
	if !matches(r.Action, c.action.name) || !matches(r.RegionID, c.string("RegionId")) || !matches(r.AccessKeyID, c.key.ID) {
		return false
	}
	for name, pattern := range r.Parameters {
		if !fits(pattern, c.string(name)) {
			return false
		}
	}
	return true
}

func (r *Rule) duration() time.Duration { return time.Duration(r.Seconds * float64(time.Second)) }

// verdict is what the rules have in store for one call.
type verdict struct {
	acts      []Rule // those that act at a moment, in the order in which they were added
	throttled *APIError
	denied    bool
	soldOut   bool
	withdraw  *time.Duration
	conceal   time.Duration
	linger    time.Duration
	accountID string // empty: the key's own
	incidents []Rule
}
