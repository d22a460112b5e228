package ecsemulator

import (
	"cmp"
	"slices"
)

// AnswerCount is how many calls of one caller to one action were answered in one way.
type AnswerCount struct {
	Action string `json:"action"`
	// AccessKeyID is the key that the calls named, whether it is known or not. It is empty for calls that need none.
	AccessKeyID string `json:"access_key_id"`
	// Status is the HTTP status; 0 for a connection that was cut.
	Status int `json:"status"`
	// Code is the error code, empty for success and for answers that a rule put in the place of one.
	Code  string `json:"code"`
	Calls int    `json:"calls"`
}

type answerKey struct {
	action, accessKeyID string
	status              int
	code                string
}

// AnswerCounts is the number of calls that were answered or cut since the last reset, by action, caller, status and code, in that
// order. Calls that still run are not among them.
func (s *Server) AnswerCounts() []AnswerCount {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	counts := make([]AnswerCount, 0, len(s.calls.answers))
	for key, calls := range s.calls.answers {
		counts = append(counts, AnswerCount{key.action, key.accessKeyID, key.status, key.code, calls})
	}
	slices.SortFunc(counts, func(a, b AnswerCount) int {
		return cmp.Or(cmp.Compare(a.Action, b.Action), cmp.Compare(a.AccessKeyID, b.AccessKeyID), cmp.Compare(a.Status, b.Status),
			cmp.Compare(a.Code, b.Code))
	})
	return counts
}
