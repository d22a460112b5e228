package ecsemulator

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Call is one call as the request log keeps it. No secret is in it.
type Call struct {
	ID          int    `json:"id"`
	Action      string `json:"action"`
	Version     string `json:"version"`
	Method      string `json:"method"`
	AccessKeyID string `json:"access_key_id"`
	RegionID    string `json:"region_id"`
	// Parameters are the call's own, without those of the signature. Passwords are masked; of user data only the hash and the length
	// are kept.
	Parameters map[string]string `json:"parameters"`
	// Status is the HTTP status of the answer; 0 while the call runs or when the connection was cut.
	Status    int    `json:"status"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	// Time is the virtual time of arrival.
	Time time.Time `json:"time"`
	// Done is whether the call has been answered or cut.
	Done bool `json:"done"`
}

// maxCalls bounds the request log: beyond it the oldest tenth is forgotten. The counts are not.
const maxCalls = 100_000

type callLog struct {
	mu     sync.Mutex
	calls  []Call
	counts map[string]int
	first  int // the ID of calls[0]
}

func (l *callLog) arrive(call Call) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) >= maxCalls {
		l.first += maxCalls / 10
		l.calls = append([]Call(nil), l.calls[maxCalls/10:]...)
	}
	call.ID = l.first + len(l.calls)
	l.calls = append(l.calls, call)
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	l.counts[call.Action]++
	return call.ID
}

// signedBy notes the access key of a call, which the header signature shows only when it is decoded.
func (l *callLog) signedBy(id int, accessKeyID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id >= l.first {
		l.calls[id-l.first].AccessKeyID = clip(accessKeyID)
	}
}

// describe notes the parameters of a call.
func (l *callLog) describe(id int, parameters map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id >= l.first {
		l.calls[id-l.first].Parameters = parameters
	}
}

// finish notes the answer and returns the call. A call from before a reset, or forgotten, is no longer kept.
func (l *callLog) finish(id, status int, code string) Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id < l.first {
		return Call{ID: id, Status: status, Code: code, Done: true}
	}
	call := &l.calls[id-l.first]
	call.Status, call.Code, call.Done = status, code, true
	return *call
}

// Counts is the number of calls that arrived since the last reset, by action; also those refused, and those still running.
func (s *Server) Counts() map[string]int {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	counts := map[string]int{}
	maps.Copy(counts, s.calls.counts)
	return counts
}

// Calls is the request log since the last reset, oldest first; of more than 100,000 calls the oldest are forgotten.
func (s *Server) Calls() []Call {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	calls := make([]Call, len(s.calls.calls))
	copy(calls, s.calls.calls)
	for i := range calls {
		calls[i].Parameters = maps.Clone(calls[i].Parameters)
	}
	return calls
}

// ResetCalls empties the request log and the counts. The journal stays.
func (s *Server) ResetCalls() {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	s.calls.first += len(s.calls.calls)
	s.calls.calls, s.calls.counts = nil, nil
}

// maskedParameters is what the log keeps of the parameters of a call. What the action does not declare is kept by name only.
func maskedParameters(table parameterTable, given url.Values) map[string]string {
	masked := map[string]string{}
	for name, values := range given {
		value := strings.Join(values, ",")
		general, _ := generalName(name)
		_, declared := table[general]
		lower := strings.ToLower(name)
		switch {
		case name == "RegionId":
			masked[name] = clip(value)
		case isCommonParameter(name):
		case strings.Contains(lower, "userdata"):
			masked[clip(name)] = describeSecret(value)
		case strings.Contains(lower, "password"), strings.Contains(lower, "oidctoken"):
			masked[clip(name)] = "***"
		case !declared || len(value) > 4*defaultMaxLength:
			masked[clip(name)] = fmt.Sprintf("(%d bytes)", len(value))
		default:
			masked[name] = value
		}
	}
	return masked
}

// describeSecret tells two values apart without showing either.
func describeSecret(value string) string {
	return fmt.Sprintf("sha256:%s (%d bytes)", sha256Hex([]byte(value)), len(value))
}
