package ecsemulator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// User is a RAM user. The keys of a user of whom the server knows nothing may do everything; those of a user it knows may do what the
// policies allow.
type User struct {
	// AccountID is the account of the user. Empty means Options.AccountID.
	AccountID string   `json:"account_id,omitempty"`
	Name      string   `json:"name"`
	Policies  []Policy `json:"policies"`
}

// Role is a RAM role. The roles of the catalogue, which are only names, trust ECS and may do everything.
type Role struct {
	// AccountID is the account of the role. Empty means Options.AccountID.
	AccountID string `json:"account_id,omitempty"`
	Name      string `json:"name"`
	// TrustPolicy says who may assume the role.
	TrustPolicy Policy   `json:"trust_policy"`
	Policies    []Policy `json:"policies"`
	// MaxSessionSeconds bounds a session, 3600 to 43200. Zero means 3600.
	MaxSessionSeconds int `json:"max_session_seconds,omitempty"`
}

// IdentityProvider is an OIDC identity provider that the account trusts. Its tokens are opaque here: those listed are good.
type IdentityProvider struct {
	// AccountID is the account of the provider. Empty means Options.AccountID.
	AccountID string          `json:"account_id,omitempty"`
	Name      string          `json:"name"`
	Issuer    string          `json:"issuer"`
	ClientIDs []string        `json:"client_ids"`
	Tokens    []IdentityToken `json:"tokens,omitempty"`
}

// IdentityToken is a token that an identity provider has given out.
type IdentityToken struct {
	// Text is the token itself, 4 to 20,000 characters.
	Text     string `json:"text"`
	Subject  string `json:"subject"`
	Audience string `json:"audience"`
	// Expires ends the token, by the wall clock. Zero means never.
	Expires time.Time `json:"expires,omitzero"`
}

// directory keeps who may sign, and what they may do.
type directory struct {
	mu        sync.RWMutex
	keys      map[string]AccessKey
	keyOrder  []string
	users     map[string]User // by account and name
	roles     map[string]Role
	providers map[string]IdentityProvider
}

func newDirectory() *directory {
	return &directory{
		keys: map[string]AccessKey{}, users: map[string]User{}, roles: map[string]Role{}, providers: map[string]IdentityProvider{},
	}
}

func principalID(accountID, name string) string { return accountID + "/" + name }

func (d *directory) key(id string) (AccessKey, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	key, known := d.keys[id]
	return key, known
}

// setKey adds or replaces a key, and forgets the sessions that have long ended.
func (d *directory) setKey(key AccessKey, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keyOrder = slices.DeleteFunc(d.keyOrder, func(id string) bool {
		old := d.keys[id]
		stale := old.SessionName != "" && !old.Expires.IsZero() && now.Sub(old.Expires) > 24*time.Hour
		if stale {
			delete(d.keys, id)
		}
		return stale
	})
	if _, known := d.keys[key.ID]; !known {
		d.keyOrder = append(d.keyOrder, key.ID)
	}
	d.keys[key.ID] = key
}

func (d *directory) role(accountID, name string) (Role, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	role, known := d.roles[principalID(accountID, strings.ToLower(name))]
	return role, known
}

func (d *directory) provider(accountID, name string) (IdentityProvider, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	provider, known := d.providers[principalID(accountID, name)]
	return provider, known
}

// policiesOf gives the policies that bind a key: each set must allow. None means that nothing does.
func (d *directory) policiesOf(key AccessKey) [][]Policy {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var sets [][]Policy
	if user, known := d.users[principalID(key.AccountID, key.UserName)]; known && key.UserName != "" {
		sets = append(sets, user.Policies)
	}
	if role, known := d.roles[principalID(key.AccountID, strings.ToLower(key.RoleName))]; known && key.RoleName != "" {
		sets = append(sets, role.Policies)
	}
	if key.SessionPolicy != nil {
		sets = append(sets, []Policy{*key.SessionPolicy})
	}
	return sets
}

// decide asks every set of policies that binds the key.
func (d *directory) decide(key AccessKey, r request) decision {
	result := allowed
	for _, policies := range d.policiesOf(key) {
		switch decide(policies, r) {
		case explicitDeny:
			return explicitDeny
		case implicitDeny:
			result = implicitDeny
		case allowed:
		}
	}
	return result
}

func (u User) check() error {
	if u.Name == "" {
		return errors.New("a user needs a name")
	}
	for _, policy := range u.Policies {
		if err := policy.check(false); err != nil {
			return fmt.Errorf("user %s: %w", u.Name, err)
		}
	}
	return nil
}

func (r Role) check() error {
	if r.Name == "" {
		return errors.New("a role needs a name")
	}
	if err := r.TrustPolicy.check(true); err != nil {
		return fmt.Errorf("role %s: trust %w", r.Name, err)
	}
	for _, policy := range r.Policies {
		if err := policy.check(false); err != nil {
			return fmt.Errorf("role %s: %w", r.Name, err)
		}
	}
	if r.MaxSessionSeconds < 3600 || r.MaxSessionSeconds > 43200 {
		return fmt.Errorf("role %s: max_session_seconds %d is not within 3600 and 43200", r.Name, r.MaxSessionSeconds)
	}
	return nil
}

func (p IdentityProvider) check() error {
	if p.Name == "" || p.Issuer == "" || len(p.ClientIDs) == 0 {
		return fmt.Errorf("identity provider %q needs a name, an issuer and client_ids", p.Name)
	}
	for n, token := range p.Tokens {
		if len(token.Text) < 4 || len(token.Text) > 20000 {
			return fmt.Errorf("identity provider %s: token %d must have 4 to 20000 characters", p.Name, n+1)
		}
	}
	return nil
}

func sortedValues[T any](values map[string]T) []T {
	list := make([]T, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, values[key])
	}
	return list
}
