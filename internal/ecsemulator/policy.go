package ecsemulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Policy is a RAM policy document, in the form in which RAM keeps it, for permissions and for the trust of a role. Source: the page
// "Policy structure and syntax". NotAction, numbers, dates and addresses in conditions are not supported, and refused.
type Policy struct {
	Version   string      `json:"Version"`
	Statement []Statement `json:"Statement"`
}

// Statement is one statement of a policy.
type Statement struct {
	// Effect is Allow or Deny.
	Effect string `json:"Effect"`
	// Action holds patterns such as ecs:Describe*, in any case.
	Action TextList `json:"Action"`
	// Resource holds patterns of resources such as acs:ecs:*:*:instance/i-1, or *. A trust policy has none.
	Resource TextList `json:"Resource,omitempty"`
	// Principal is who a trust policy trusts.
	Principal *Principal `json:"Principal,omitempty"`
	// Condition holds values by operator and key: {"StringEquals": {"acs:ResourceTag/team": "a"}}. Operators are StringEquals,
	// StringEqualsIgnoreCase, StringLike and the same with Not. Keys are acs:ResourceTag/..., acs:RequestTag/..., ecs:tag/...,
	// acs:ResourceGroupId, and in a trust policy sts:ExternalId, oidc:iss, oidc:aud and oidc:sub.
	Condition map[string]map[string]TextList `json:"Condition,omitempty"`
}

// Principal is who may assume a role: ARNs of accounts, users and roles; services; ARNs of identity providers.
type Principal struct {
	RAM       TextList `json:"RAM,omitempty"`
	Service   TextList `json:"Service,omitempty"`
	Federated TextList `json:"Federated,omitempty"`
}

// TextList is a list that may be written as one text.
type TextList []string

// UnmarshalJSON takes a text or a list of texts.
func (l *TextList) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*l = TextList{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(raw, &many); err != nil {
		return errors.New("want a text or a list of texts")
	}
	*l = many
	return nil
}

// AllowAll is the policy that allows everything.
func AllowAll() Policy {
	return Policy{Version: "1", Statement: []Statement{{Effect: "Allow", Action: TextList{"*"}, Resource: TextList{"*"}}}}
}

// ParsePolicy reads a policy document. A field, operator or key that is not supported is an error.
func ParsePolicy(text string) (Policy, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var p Policy
	if err := decoder.Decode(&p); err != nil {
		return p, fmt.Errorf("policy: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return p, errors.New("policy: there is something after the document")
	}
	return p, p.check(false)
}

func conditionOperators() []string {
	return []string{
		"StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", "StringLike", "StringNotLike",
	}
}

func (p Policy) check(trust bool) error {
	if p.Version != "1" {
		return fmt.Errorf("policy: version %q is not \"1\"", p.Version)
	}
	if len(p.Statement) == 0 {
		return errors.New("policy: there is no statement")
	}
	for n, statement := range p.Statement {
		if err := statement.check(trust); err != nil {
			return fmt.Errorf("policy: statement %d: %w", n+1, err)
		}
	}
	return nil
}

func (s Statement) check(trust bool) error {
	switch {
	case s.Effect != "Allow" && s.Effect != "Deny":
		return fmt.Errorf("effect %q is neither Allow nor Deny", s.Effect)
	case len(s.Action) == 0:
		return errors.New("there is no action")
	case trust && s.Principal == nil:
		return errors.New("a trust policy needs a principal")
	case !trust && s.Principal != nil:
		return errors.New("only a trust policy has a principal")
	case !trust && len(s.Resource) == 0:
		return errors.New("there is no resource")
	}
	for operator, keys := range s.Condition {
		if !slices.Contains(conditionOperators(), operator) {
			return fmt.Errorf("condition operator %q is none of %v", operator, conditionOperators())
		}
		for key := range keys {
			if !supportedKey(key, trust) {
				return fmt.Errorf("condition key %q is not supported", key)
			}
		}
	}
	return nil
}

func supportedKey(key string, trust bool) bool {
	if trust {
		return oneOf(key, "sts:ExternalId", "oidc:iss", "oidc:aud", "oidc:sub")
	}
	return key == resourceGroupKey || strings.HasPrefix(key, "acs:ResourceTag/") || strings.HasPrefix(key, "acs:RequestTag/") || strings.HasPrefix(key, "ecs:tag/")
}

// decision is what policies say of one call.
type decision int

const (
	implicitDeny decision = iota
	explicitDeny
	allowed
)

// request is what policies are asked about: an action upon a resource, with the values of the condition keys that are known.
type request struct {
	action   string
	resource string
	context  map[string]string
}

// decide asks the policies. One Deny that fits outdoes every Allow.
func decide(policies []Policy, r request) decision {
	result := implicitDeny
	for _, policy := range policies {
		for _, statement := range policy.Statement {
			if !statement.covers(r) {
				continue
			}
			if statement.Effect == "Deny" {
				return explicitDeny
			}
			result = allowed
		}
	}
	return result
}

func (s Statement) covers(r request) bool {
	return fitsAny(s.Action, r.action) && (len(s.Resource) == 0 || fitsAny(s.Resource, r.resource)) && s.conditionHolds(r.context)
}

func fitsAny(patterns []string, value string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return fits(strings.ToLower(pattern), strings.ToLower(value)) })
}

// conditionHolds wants every key of every operator to hold. A key without a value in the call fits only the operators with Not.
func (s Statement) conditionHolds(context map[string]string) bool {
	for operator, keys := range s.Condition {
		positive := strings.Replace(operator, "Not", "", 1)
		for key, wanted := range keys {
			value, known := context[key]
			fitting := known && slices.ContainsFunc(wanted, func(w string) bool {
				switch positive {
				case "StringLike":
					return fits(w, value)
				case "StringEqualsIgnoreCase":
					return strings.EqualFold(w, value)
				default:
					return w == value
				}
			})
			if fitting == (positive != operator) {
				return false
			}
		}
	}
	return true
}

// clonePolicies copies policies, so that what a caller keeps of them changes nothing here.
func clonePolicies(policies []Policy) []Policy {
	raw, err := json.Marshal(policies)
	if err != nil {
		return nil // texts, lists and maps of texts always encode
	}
	var copied []Policy
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&copied); err != nil {
		return nil // it was encoded a moment ago
	}
	return copied
}
