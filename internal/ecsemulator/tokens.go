package ecsemulator

import (
	"encoding/json"
	"sync"
	"time"
)

// tokenMemory remembers the ClientTokens of calls.
type tokenMemory struct {
	mu     sync.Mutex
	tokens map[string]*token
}

type token struct {
	fingerprint string
	taken       time.Time
	running     bool
	result      any
	refusal     *APIError // of a call that used the token up
	instanceIDs []string
}

func newTokenMemory() *tokenMemory { return &tokenMemory{tokens: map[string]*token{}} }

// withToken runs an action at most once per ClientToken, and answers a repetition as the first time. Calls without a token, and dry
// runs, are just run. Source: "How to ensure idempotence"; Behavior decides what it leaves open.
func (s *Server) withToken(c *call, run func() (any, *APIError)) (any, *APIError) {
	text := c.string("ClientToken")
	if text == "" || c.boolean("DryRun", false) {
		return run()
	}
	for i := range len(text) {
		if text[i] < 0x20 || text[i] > 0x7e {
			return nil, refuse(400, "InvalidClientToken.ValueNotSupported", "The ClientToken must be at most 64 ASCII characters.")
		}
	}
	if len(text) > 64 {
		return nil, refuse(400, "InvalidClientToken.ValueNotSupported", "The ClientToken must be at most 64 ASCII characters.")
	}
	key := c.key.AccountID + "\n" + c.string("RegionId") + "\n" + c.action.name + "\n" + text
	behavior := s.CurrentBehavior()
	kept, replayed, refusal := s.tokens.take(c, key, behavior, s.clock.now())
	switch {
	case refusal != nil:
		return nil, refusal
	case replayed:
		return s.replay(c, kept, behavior)
	}
	result, refusal := run()
	s.tokens.settle(key, kept, result, refusal, behavior)
	return result, refusal
}

// take reserves a token for a call, or finds what an earlier call left under it.
func (m *tokenMemory) take(c *call, key string, behavior Behavior, now time.Time) (kept *token, replayed bool, refusal *APIError) {
	body, _ := json.Marshal(c.business()) // a map of strings always encodes
	fingerprint := sha256Hex(body)
	m.mu.Lock()
	defer m.mu.Unlock()
	kept = m.tokens[key]
	lifetime := time.Duration(behavior.TokenLifetimeSeconds * float64(time.Second))
	if kept != nil && !kept.running && lifetime > 0 && now.Sub(kept.taken) >= lifetime {
		kept = nil
	}
	switch {
	case kept == nil:
		kept = &token{fingerprint: fingerprint, taken: now, running: true}
		m.tokens[key] = kept
		return kept, false, nil
	case kept.fingerprint != fingerprint:
		return nil, false, refuse(400, mismatchCode(c.action.name), "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical.")
	case kept.running:
		return nil, false, refuse(behavior.TokenProcessingStatus, behavior.TokenProcessingCode, "The previous request with this client token is still processing, please try again later.")
	case kept.refusal != nil:
		return nil, false, kept.refusal
	}
	return kept, true, nil
}

// mismatchCode is what an action answers to a token that came before with other parameters.
func mismatchCode(action string) string {
	if oneOf(action, "ModifyInstanceSpec", "ModifyPrepayInstanceSpec") {
		return "IdempotenceParamNotMatch"
	}
	return "IdempotentParameterMismatch"
}

// settle keeps what a call under a token came to. A token that was not used up is free again.
func (m *tokenMemory) settle(key string, kept *token, result any, refusal *APIError, behavior Behavior) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept.running, kept.result = false, result
	if launched, ok := result.(runInstancesAnswer); ok {
		kept.instanceIDs = launched.InstanceIDSets.InstanceIDSet
	}
	switch {
	case refusal == nil:
	case behavior.TokenBurn == BurnAlways && refusal.HTTPStatus >= 400 && refusal.HTTPStatus < 500:
		kept.refusal = refuse(403, "IdempotentFailed", "The previous request with this client token has failed.")
	case behavior.TokenBurn == BurnNoStock && refusal.Code == "OperationDenied.NoStock":
		kept.refusal = refusal
	default:
		delete(m.tokens, key)
	}
}

// replay answers a repetition of a call that succeeded.
func (s *Server) replay(c *call, kept *token, behavior Behavior) (any, *APIError) {
	if behavior.ReplayAfterRelease == ReplaySameIDs || len(kept.instanceIDs) == 0 {
		return kept.result, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	for _, id := range kept.instanceIDs {
		if i := s.accounts[c.key.AccountID].instances[id]; i != nil && i.exists(now) {
			return kept.result, nil
		}
	}
	return nil, refuse(403, "IdempotentFailed", "The instances of the previous request with this client token are released.")
}
