package ecsemulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// SetAccessKey adds an access key, or replaces the one of that id. A key without an id or a secret is an error.
func (s *Server) SetAccessKey(key AccessKey) error {
	if key.ID == "" || key.Secret == "" {
		return errors.New("an access key needs an id and a secret")
	}
	key.AccountID = orDefault(key.AccountID, s.options.AccountID)
	s.ensureAccount(key.AccountID)
	s.directory.setKey(key, time.Now())
	s.touch()
	return nil
}

// AccessKeys lists the keys that are known, also those of sessions, without secrets and tokens.
func (s *Server) AccessKeys() []AccessKey {
	s.directory.mu.RLock()
	defer s.directory.mu.RUnlock()
	keys := make([]AccessKey, 0, len(s.directory.keyOrder))
	for _, id := range s.directory.keyOrder {
		key := s.directory.keys[id]
		key.Secret, key.SecurityToken = "", ""
		keys = append(keys, key)
	}
	return keys
}

// changeKey changes a key that is there.
func (s *Server) changeKey(id string, change func(*AccessKey)) error {
	s.directory.mu.Lock()
	defer s.directory.mu.Unlock()
	key, known := s.directory.keys[id]
	if !known {
		return fmt.Errorf("access key %q: %w", clip(id), ErrNotFound)
	}
	change(&key)
	s.directory.keys[id] = key
	s.touch()
	return nil
}

// DisableAccessKey disables a key, or enables it again. An id that is not there is an error wrapping ErrNotFound.
func (s *Server) DisableAccessKey(id string, disabled bool) error {
	return s.changeKey(id, func(key *AccessKey) { key.Disabled = disabled })
}

// ExpireAccessKey ends a temporary key now. An id that is not there is an error wrapping ErrNotFound.
func (s *Server) ExpireAccessKey(id string) error {
	return s.changeKey(id, func(key *AccessKey) { key.Expires = time.Now().Add(-time.Second) })
}

// RemoveAccessKey forgets a key. An id that is not there is an error wrapping ErrNotFound.
func (s *Server) RemoveAccessKey(id string) error {
	d := s.directory
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.keys[id]; !known {
		return fmt.Errorf("access key %q: %w", clip(id), ErrNotFound)
	}
	delete(d.keys, id)
	d.keyOrder = slices.DeleteFunc(d.keyOrder, func(other string) bool { return other == id })
	s.touch()
	return nil
}

// SetUser adds a RAM user, or replaces the one of that name; what its keys may do changes with the next call. A policy that is not
// supported is an error.
func (s *Server) SetUser(user User) error {
	if err := user.check(); err != nil {
		return err
	}
	user.AccountID = orDefault(user.AccountID, s.options.AccountID)
	user.Policies = clonePolicies(user.Policies)
	s.directory.mu.Lock()
	defer s.directory.mu.Unlock()
	s.directory.users[principalID(user.AccountID, user.Name)] = user
	s.touch()
	return nil
}

// Users lists the RAM users.
func (s *Server) Users() []User {
	s.directory.mu.RLock()
	defer s.directory.mu.RUnlock()
	return sortedValues(s.directory.users)
}

// RemoveUser forgets a RAM user; its keys may do everything again. One that is not there is an error wrapping ErrNotFound.
func (s *Server) RemoveUser(accountID, name string) error {
	return removePrincipal(s, s.directory.users, "user", accountID, name)
}

// SetRole adds a RAM role, or replaces the one of that name. A policy that is not supported is an error.
func (s *Server) SetRole(role Role) error {
	role.MaxSessionSeconds = orDefault(role.MaxSessionSeconds, 3600)
	if err := role.check(); err != nil {
		return err
	}
	role.AccountID = orDefault(role.AccountID, s.options.AccountID)
	role.TrustPolicy, role.Policies = clonePolicies([]Policy{role.TrustPolicy})[0], clonePolicies(role.Policies)
	s.directory.mu.Lock()
	defer s.directory.mu.Unlock()
	s.directory.roles[principalID(role.AccountID, strings.ToLower(role.Name))] = role
	s.touch()
	return nil
}

// Roles lists the RAM roles, without those that are only names in the catalogue.
func (s *Server) Roles() []Role {
	s.directory.mu.RLock()
	defer s.directory.mu.RUnlock()
	return sortedValues(s.directory.roles)
}

// RemoveRole forgets a RAM role. One that is not there is an error wrapping ErrNotFound.
func (s *Server) RemoveRole(accountID, name string) error {
	return removePrincipal(s, s.directory.roles, "role", accountID, strings.ToLower(name))
}

// SetIdentityProvider adds an OIDC identity provider, or replaces the one of that name.
func (s *Server) SetIdentityProvider(provider IdentityProvider) error {
	if err := provider.check(); err != nil {
		return err
	}
	provider.AccountID = orDefault(provider.AccountID, s.options.AccountID)
	provider.ClientIDs, provider.Tokens = slices.Clone(provider.ClientIDs), slices.Clone(provider.Tokens)
	s.directory.mu.Lock()
	defer s.directory.mu.Unlock()
	s.directory.providers[principalID(provider.AccountID, provider.Name)] = provider
	s.touch()
	return nil
}

// IdentityProviders lists the OIDC identity providers, without their tokens.
func (s *Server) IdentityProviders() []IdentityProvider {
	s.directory.mu.RLock()
	defer s.directory.mu.RUnlock()
	providers := sortedValues(s.directory.providers)
	for i := range providers {
		providers[i].Tokens = nil
	}
	return providers
}

// RemoveIdentityProvider forgets an OIDC identity provider. One that is not there is an error wrapping ErrNotFound.
func (s *Server) RemoveIdentityProvider(accountID, name string) error {
	return removePrincipal(s, s.directory.providers, "identity provider", accountID, name)
}

func removePrincipal[T any](s *Server, from map[string]T, kind, accountID, name string) error {
	id := principalID(orDefault(accountID, s.options.AccountID), name)
	s.directory.mu.Lock()
	defer s.directory.mu.Unlock()
	if _, known := from[id]; !known {
		return fmt.Errorf("%s %q: %w", kind, clip(name), ErrNotFound)
	}
	delete(from, id)
	s.touch()
	return nil
}

// fillDirectory takes over what the options name.
func (s *Server) fillDirectory() error {
	var problems []error
	for _, key := range s.options.AccessKeys {
		problems = append(problems, s.SetAccessKey(key))
	}
	for _, user := range s.options.Users {
		problems = append(problems, s.SetUser(user))
	}
	for _, role := range s.options.Roles {
		problems = append(problems, s.SetRole(role))
	}
	for _, provider := range s.options.IdentityProviders {
		problems = append(problems, s.SetIdentityProvider(provider))
	}
	return errors.Join(problems...)
}
