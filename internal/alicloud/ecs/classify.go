package ecs

import (
	"net/http"
	"strings"
	"sync"
)

// verdict is what a failure's code, status and message say of it.
type verdict struct {
	class   Class
	scopes  Scope
	retries int
}

// indexedRules holds codeRules by code, and those of code prefixes apart.
type indexedRules struct {
	exact    map[string][]codeRule
	prefixes []codeRule
}

var codeIndex = sync.OnceValue(func() indexedRules {
	index := indexedRules{exact: make(map[string][]codeRule)}
	for _, rule := range codeRules() {
		for _, code := range rule.codes {
			single := rule
			if prefix, found := strings.CutSuffix(code, "*"); found {
				single.codes = []string{prefix}
				index.prefixes = append(index.prefixes, single)
				continue
			}
			single.codes = []string{code}
			index.exact[code] = append(index.exact[code], single)
		}
	}
	return index
})

// classify decides by the exact code first (of an overloaded one by status,
// message or action), then by the code's family, then by the HTTP status.
func classify(action, code, message string, status int) verdict {
	index := codeIndex()
	for _, rule := range index.exact[code] {
		if rule.fits(action, message, status) {
			return verdict{class: rule.class, scopes: rule.scopes, retries: rule.retries}
		}
	}
	for _, rule := range index.prefixes {
		if strings.HasPrefix(code, rule.codes[0]) && rule.fits(action, message, status) {
			return verdict{class: rule.class, scopes: rule.scopes, retries: rule.retries}
		}
	}
	if class, scopes, known := classifyFamily(code, status); known {
		return verdict{class: class, scopes: scopes}
	}
	return verdict{class: classifyStatus(status)}
}

func (rule codeRule) fits(action, message string, status int) bool {
	return (rule.status == 0 || rule.status == status) &&
		(rule.action == "" || rule.action == action) &&
		(rule.message == "" || strings.Contains(strings.ToLower(message), rule.message))
}

// classifyFamily knows how the API names codes of a kind. What is sold out is
// told first, as such a code also comes with HTTP 500.
func classifyFamily(code string, status int) (class Class, scopes Scope, known bool) {
	hasPrefix := func(prefixes ...string) bool {
		for _, prefix := range prefixes {
			if strings.HasPrefix(code, prefix) {
				return true
			}
		}
		return false
	}
	contains := func(part string) bool { return strings.Contains(code, part) }
	switch {
	case code == "":
		return "", 0, false
	case hasPrefix("Throttling", "Rejected.Throttling"), status == http.StatusTooManyRequests:
		return ClassThrottled, 0, true
	case strings.HasSuffix(code, ".NoStock"), contains("NotOnSale"),
		contains("NotEnough") && (contains("IpNot") || contains("Capacity") || contains("Resource")):
		return ClassCapacity, ScopeZone | ScopeType, true
	case contains("Token") && contains("Processing"), contains("Idempotent") && contains("Processing"):
		return ClassTokenProcessing, 0, true
	case status >= http.StatusInternalServerError, hasPrefix("InternalError", "ServiceUnavailable"),
		strings.HasSuffix(code, ".Conflict"), strings.HasSuffix(code, "OperationConflict"), contains("Processing"):
		return ClassTransient, 0, true
	case hasPrefix("Incorrect") && contains("Status"):
		return ClassConflict, 0, true
	case hasPrefix("QuotaExceed"), strings.HasSuffix(code, "LimitExceed"):
		return ClassQuota, 0, true
	case hasPrefix("Forbidden", "NoPermission"):
		return ClassPermission, 0, true
	case hasPrefix("InvalidAccount", "Account"):
		return ClassAccount, 0, true
	}
	return "", 0, false
}

func classifyStatus(status int) Class {
	switch {
	case status == http.StatusTooManyRequests:
		return ClassThrottled
	case status == http.StatusRequestTimeout, status >= http.StatusInternalServerError, status == 0:
		return ClassTransient
	case status >= http.StatusMultipleChoices:
		return ClassConfiguration
	default:
		return ClassUnknown
	}
}

// mayHaveTakenEffect reports whether a refusal of this kind leaves open what
// became of the request.
func mayHaveTakenEffect(failure *Error) bool {
	switch failure.Class {
	case ClassTokenProcessing:
		return true
	case ClassTransient:
		return failure.Status >= http.StatusInternalServerError ||
			strings.Contains(failure.Code, "InternalError") || failure.Code == "UnknownError"
	default:
		return false
	}
}
