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

// keptCall is a call with its parameters packed: a hundred thousand maps would be most of the server's memory.
type keptCall struct {
	Call
	packed string
}

// call gives the call as it is shown.
func (k keptCall) call() Call {
	shown := k.Call
	if k.packed == "" {
		return shown
	}
	shown.Parameters = map[string]string{}
	for field := range strings.SplitSeq(k.packed, "\x00") {
		name, value, _ := strings.Cut(field, "\x01")
		shown.Parameters[name] = value
	}
	return shown
}

// pack writes parameters one after the other. Names and values that hold the two separators themselves come out without them.
func pack(parameters map[string]string) string {
	separators := strings.NewReplacer("\x00", "", "\x01", "")
	fields := make([]string, 0, len(parameters))
	for name, value := range parameters {
		fields = append(fields, separators.Replace(name)+"\x01"+separators.Replace(value))
	}
	return strings.Join(fields, "\x00")
}

type callLog struct {
	mu      sync.Mutex
	calls   []keptCall
	counts  map[string]int
	answers map[answerKey]int
	words   map[string]string
	first   int // the ID of calls[0]
	reset   int // the ID of the first call since the last reset
}

// maxWords bounds how many different names are kept once for all calls.
const maxWords = 1000

// share gives the one copy of a text that many calls have in common, such as the name of their action.
func (l *callLog) share(text string) string {
	if kept, known := l.words[text]; known {
		return kept
	}
	if l.words == nil {
		l.words = map[string]string{}
	}
	if len(l.words) < maxWords {
		l.words[text] = text
	}
	return text
}

func (l *callLog) arrive(call Call) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) >= maxCalls {
		l.first += maxCalls / 10
		l.calls = append([]keptCall(nil), l.calls[maxCalls/10:]...)
	}
	call.ID = l.first + len(l.calls)
	for _, field := range []*string{&call.Action, &call.Version, &call.Method, &call.AccessKeyID, &call.RegionID} {
		*field = l.share(*field)
	}
	l.calls = append(l.calls, keptCall{Call: call})
	if l.counts == nil {
		l.counts, l.answers = map[string]int{}, map[answerKey]int{}
	}
	l.counts[call.Action]++
	return call.ID
}

// signedBy notes the access key of a call, which the header signature shows only when it is decoded.
func (l *callLog) signedBy(id int, accessKeyID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id >= l.first {
		l.calls[id-l.first].AccessKeyID = l.share(clip(accessKeyID))
	}
}

// describe notes the parameters of a call.
func (l *callLog) describe(id int, parameters map[string]string) {
	packed := pack(parameters)
	l.mu.Lock()
	defer l.mu.Unlock()
	if id >= l.first {
		l.calls[id-l.first].packed = packed
	}
}

// finish notes the answer to a call, as it is known to the one who carried it out. A call from before a reset is not counted.
func (l *callLog) finish(call Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if call.ID >= l.reset {
		l.answers[answerKey{call.Action, call.AccessKeyID, call.Status, call.Code}]++
	}
	if call.ID >= l.first {
		kept := &l.calls[call.ID-l.first]
		kept.Status, kept.Code, kept.Done = call.Status, call.Code, true
	}
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
	for i := range calls {
		calls[i] = s.calls.calls[i].call()
	}
	return calls
}

// ResetCalls empties the request log and the counts. The journal stays.
func (s *Server) ResetCalls() {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	s.calls.first += len(s.calls.calls)
	s.calls.reset = s.calls.first
	s.calls.calls, s.calls.counts, s.calls.answers = nil, nil, nil
}

// maskedParameters is what the log keeps of the parameters of a call. What the action does not declare is kept by name only.
func maskedParameters(table parameterTable, given url.Values) map[string]string {
	kept := map[string]string{}
	for name, values := range given {
		if isCommonParameter(name) && name != "RegionId" {
			continue
		}
		general, _ := generalName(name)
		_, declared := table[general]
		value := strings.Join(values, ",")
		if !declared && name != "RegionId" || len(value) > 4*defaultMaxLength && !isSecret(name) {
			kept[clip(name)] = fmt.Sprintf("(%d bytes)", len(value))
			continue
		}
		kept[clip(name)] = masked(name, value)
	}
	return kept
}

// isSecret tells parameters that carry secrets, in whatever form and place they come: Password, UserData, OIDCToken.
func isSecret(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "userdata") || strings.Contains(lower, "password") && lower != "passwordinherit" ||
		strings.Contains(lower, "token") && !oneOf(name, "ClientToken", "NextToken", "HttpTokens")
}

// masked is what may be shown of a value.
func masked(name, value string) string {
	switch {
	case !isSecret(name):
		return value
	case strings.Contains(strings.ToLower(name), "userdata"):
		return describeSecret(value)
	default:
		return "***"
	}
}

// describeSecret tells two values apart without showing either.
func describeSecret(value string) string {
	return fmt.Sprintf("sha256:%s (%d bytes)", sha256Hex([]byte(value)), len(value))
}
