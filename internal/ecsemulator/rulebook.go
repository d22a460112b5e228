package ecsemulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// ErrNotFound is what rule and hold methods wrap when there is none of that id.
var ErrNotFound = errors.New("not found")

// Outcome says what becomes of a call that is let go.
type Outcome string

// The outcomes.
const (
	// Proceed lets the call go on, even if its client has gone meanwhile: a request that arrived is carried out.
	Proceed Outcome = "proceed"
	// Drop ends the call where it stands, without an answer.
	Drop Outcome = "drop"
)

// Hold is a call that a rule holds.
type Hold struct {
	ID        string `json:"id"`
	RuleID    string `json:"rule_id"`
	CallID    int    `json:"call_id"`
	Action    string `json:"action"`
	At        Moment `json:"at"`
	RequestID string `json:"request_id"`
}

type heldCall struct {
	Hold
	release chan Outcome
}

type keptRule struct {
	Rule
	matched int
	windows map[string]*window
}

// window is one minute of a throttle.
type window struct {
	minute time.Time
	calls  int
}

// ruleBook keeps the rules in force and the calls they hold.
type ruleBook struct {
	mu      sync.Mutex
	next    int
	rules   []*keptRule
	held    []*heldCall
	changed chan struct{}
}

func newRuleBook() *ruleBook { return &ruleBook{changed: make(chan struct{})} }

func (b *ruleBook) newID(prefix string) string {
	b.next++
	return prefix + "-" + strconv.Itoa(b.next)
}

func (b *ruleBook) announce() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// AddRule puts a rule in force and returns it with its id. A rule that cannot work, or an id in use, is an error.
func (s *Server) AddRule(rule Rule) (Rule, error) {
	rule, err := rule.check()
	if err != nil {
		return rule, err
	}
	b := s.rules
	b.mu.Lock()
	defer b.mu.Unlock()
	if rule.ID == "" {
		rule.ID = b.newID("rule")
	}
	if slices.ContainsFunc(b.rules, func(r *keptRule) bool { return r.ID == rule.ID }) {
		return rule, fmt.Errorf("rule %q is there already", rule.ID)
	}
	b.rules = append(b.rules, &keptRule{Rule: rule, windows: map[string]*window{}})
	return rule, nil
}

// RemoveRule ends a rule and lets the calls that it holds proceed. An id that is not there is an error wrapping ErrNotFound.
func (s *Server) RemoveRule(id string) error {
	b := s.rules
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.rules, func(r *keptRule) bool { return r.ID == id })
	if i < 0 {
		return fmt.Errorf("rule %q: %w", id, ErrNotFound)
	}
	b.rules = slices.Delete(b.rules, i, i+1)
	for _, held := range slices.Clone(b.held) {
		if held.RuleID == id {
			b.letGo(held, Proceed)
		}
	}
	return nil
}

// RulesInForce are the rules in force, in the order in which they act.
func (s *Server) RulesInForce() []Rule {
	s.rules.mu.Lock()
	defer s.rules.mu.Unlock()
	rules := make([]Rule, 0, len(s.rules.rules))
	for _, rule := range s.rules.rules {
		rules = append(rules, rule.Rule)
	}
	return rules
}

// Holds are the calls held now, in the order in which they were stopped.
func (s *Server) Holds() []Hold {
	s.rules.mu.Lock()
	defer s.rules.mu.Unlock()
	return s.rules.holds("")
}

func (b *ruleBook) holds(ruleID string) []Hold {
	holds := make([]Hold, 0, len(b.held))
	for _, held := range b.held {
		if ruleID == "" || held.RuleID == ruleID {
			holds = append(holds, held.Hold)
		}
	}
	return holds
}

// WaitHold returns once a call is held by the rule (by any, if the id is empty), or with the context's error.
func (s *Server) WaitHold(ctx context.Context, ruleID string) (Hold, error) {
	b := s.rules
	for {
		b.mu.Lock()
		holds, changed := b.holds(ruleID), b.changed
		b.mu.Unlock()
		if len(holds) > 0 {
			return holds[0], nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Hold{}, fmt.Errorf("wait for a call held by rule %q: %w", ruleID, ctx.Err())
		case <-s.life.Done():
			return Hold{}, fmt.Errorf("wait for a call held by rule %q: the server closed", ruleID)
		}
	}
}

// Release lets one held call go. An id that is not there is an error wrapping ErrNotFound.
func (s *Server) Release(holdID string, outcome Outcome) error {
	if outcome != Proceed && outcome != Drop {
		return fmt.Errorf("outcome %q is neither %q nor %q", outcome, Proceed, Drop)
	}
	b := s.rules
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.held, func(h *heldCall) bool { return h.ID == holdID })
	if i < 0 {
		return fmt.Errorf("hold %q: %w", holdID, ErrNotFound)
	}
	b.letGo(b.held[i], outcome)
	return nil
}

func (b *ruleBook) letGo(held *heldCall, outcome Outcome) {
	b.held = slices.DeleteFunc(b.held, func(h *heldCall) bool { return h == held })
	held.release <- outcome // has room for the one outcome it ever gets
}

// hold keeps a call until it is released. Not the client's going, only the server's end cuts it short: what arrived is carried out.
func (b *ruleBook) hold(life context.Context, c *call, rule Rule) Outcome {
	b.mu.Lock()
	held := &heldCall{
		Hold: Hold{
			ID: b.newID("hold"), RuleID: rule.ID, CallID: c.id, Action: c.action.name, At: rule.At, RequestID: c.requestID,
		},
		release: make(chan Outcome, 1),
	}
	b.held = append(b.held, held)
	b.announce()
	b.mu.Unlock()
	select {
	case outcome := <-held.release:
		return outcome
	case <-life.Done():
		return Drop
	}
}

// judge finds the rules that act upon a call, and counts the call for each that it matches.
func (b *ruleBook) judge(c *call, now time.Time) verdict {
	b.mu.Lock()
	defer b.mu.Unlock()
	var v verdict
	for _, rule := range b.rules {
		if !rule.fits(c) {
			continue
		}
		rule.matched++
		if rule.matched < rule.First || rule.Times > 0 && rule.matched >= rule.First+rule.Times {
			continue
		}
		switch rule.Kind {
		case RuleThrottle:
			if rule.exceeded(c, now) {
				v.throttled = refuse(rule.HTTPStatus, rule.Code, "%s", orDefault(rule.Message, "Request was denied due to user flow control."))
			}
		case RuleDeny:
			v.denied = true
		case RuleSoldOut:
			v.soldOut = true
		case RuleWithdraw:
			after := rule.duration()
			v.withdraw = &after
		case RuleConceal:
			v.conceal = rule.duration()
		case RuleLinger:
			v.linger = rule.duration()
		case RuleAccount:
			v.accountID = rule.AccountID
		case RuleStop, RuleRelease, RuleReclaim, RuleLock, RuleUnlock:
			v.incidents = append(v.incidents, rule.Rule)
		default:
			v.acts = append(v.acts, rule.Rule)
		}
	}
	return v
}

// exceeded counts a call in its minute. Windows are fixed minutes: what is throttled in one is let through in the next.
func (r *keptRule) exceeded(c *call, now time.Time) bool {
	key := c.key.AccountID + "\n" + c.string("RegionId") + "\n" + c.action.name
	minute := now.Truncate(time.Minute)
	w := r.windows[key]
	if w == nil || !w.minute.Equal(minute) {
		w = &window{minute: minute}
		r.windows[key] = w
	}
	w.calls++
	return w.calls > r.PerMinute
}
