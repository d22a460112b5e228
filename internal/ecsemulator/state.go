package ecsemulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// stateVersion is the version of the state file. A file of a newer one is not touched.
const stateVersion = 1

// stateInterval is how often a changed state is written, by the wall clock.
const stateInterval = 2 * time.Second

// stateDocument is the state file. Not in it, since they belong to a run and not to the cloud: rules and what they hold, switches,
// durations, counts and request log.
type stateDocument struct {
	Version           int                `json:"version"`
	VirtualTime       time.Time          `json:"virtual_time"`
	Accounts          []savedAccount     `json:"accounts"`
	Journal           []Effect           `json:"journal"`
	Stock             []Stock            `json:"stock"`
	ClientTokens      []savedToken       `json:"client_tokens"`
	AccessKeys        []AccessKey        `json:"access_keys"`
	Users             []User             `json:"users"`
	Roles             []Role             `json:"roles"`
	IdentityProviders []IdentityProvider `json:"identity_providers"`
}

// keepState writes the state while the server lives. Close writes it for the last time.
func (s *Server) keepState() {
	if s.options.StateFile == "" {
		return
	}
	s.served.Go(func() {
		ticker := time.NewTicker(stateInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := s.saveState(); err != nil {
					s.options.Logger.Error("the state was not saved", "error", err)
				}
			case <-s.life.Done():
				return
			}
		}
	})
}

// saveState writes the state file if something has changed since it was last written. The file is replaced as a whole or not at all.
func (s *Server) saveState() error {
	if s.options.StateFile == "" {
		return nil
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	changes := s.changes.Load()
	if s.saved == changes {
		return nil
	}
	body, err := s.stateNow()
	if err != nil {
		return fmt.Errorf("save state: %w", err)
	}
	if err := replaceFile(s.options.StateFile, body); err != nil {
		return fmt.Errorf("save state: %w", err)
	}
	s.saved = changes
	return nil
}

// replaceFile writes beside the file and renames, so that a reader sees the old or the new content. Only the owner may read it: it
// holds keys and user data.
func replaceFile(path string, body []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(body)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func (s *Server) stateNow() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	document := stateDocument{Version: stateVersion, VirtualTime: now, Stock: s.stock, Accounts: []savedAccount{}}
	for _, id := range slices.Sorted(maps.Keys(s.accounts)) {
		s.settle(s.accounts[id], now)
		saved, err := s.saveAccount(s.accounts[id])
		if err != nil {
			return nil, err
		}
		document.Accounts = append(document.Accounts, saved)
	}
	document.Journal = s.journal
	var err error
	if document.ClientTokens, err = s.tokens.save(); err != nil {
		return nil, err
	}
	s.directory.mu.RLock()
	defer s.directory.mu.RUnlock()
	for _, id := range s.directory.keyOrder {
		document.AccessKeys = append(document.AccessKeys, s.directory.keys[id])
	}
	document.Users, document.Roles = sortedValues(s.directory.users), sortedValues(s.directory.roles)
	document.IdentityProviders = sortedValues(s.directory.providers)
	return json.Marshal(document)
}

// loadState reads the state file if it is there. Errors: a file that cannot be read, that is not one, that a newer emulator wrote, or
// that holds what the catalogue does not know. Nothing of a faulty file is taken.
func (s *Server) loadState() error {
	path := s.options.StateFile
	if path == "" {
		return nil
	}
	raw, err := os.ReadFile(path) // #nosec G304 -- the file that the user names
	if errors.Is(err, fs.ErrNotExist) {
		s.touch() // so that a run without a change leaves a file too
		return nil
	}
	if err != nil {
		return fmt.Errorf("load state: %w", err)
	}
	document, err := readState(raw)
	if err != nil {
		return fmt.Errorf("load state: %s: %w", path, err)
	}
	if err := s.takeState(document); err != nil {
		return fmt.Errorf("load state: %s: %w", path, err)
	}
	return nil
}

func readState(raw []byte) (stateDocument, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return stateDocument{}, fmt.Errorf("this is no state file, or a damaged one: %w", err)
	}
	switch {
	case head.Version > stateVersion:
		return stateDocument{}, fmt.Errorf("it is of version %d, written by a newer emulator; this one knows version %d", head.Version, stateVersion)
	case head.Version < 1:
		return stateDocument{}, errors.New("this is no state file: it has no version")
	}
	var document stateDocument
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return document, fmt.Errorf("it is damaged: %w", err)
	}
	return document, nil
}

// takeState puts what was saved in force, if all of it makes sense.
func (s *Server) takeState(document stateDocument) error {
	accounts := map[string]*account{}
	for _, saved := range document.Accounts {
		a, err := s.loadAccount(saved)
		if err != nil {
			return fmt.Errorf("account %s: %w", saved.ID, err)
		}
		accounts[a.id] = a
	}
	for _, stock := range document.Stock {
		if err := stock.validate(); err != nil {
			return err
		}
	}
	if err := s.takeDirectory(document); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.accounts, accounts)
	s.journal, s.stock = document.Journal, copyStock(document.Stock)
	s.tokens.load(document.ClientTokens)
	// Virtual time never runs backwards, whatever the factor was.
	if document.VirtualTime.After(s.clock.now()) {
		return s.clock.set(document.VirtualTime)
	}
	return nil
}

// takeDirectory lets what was saved outdo the options, except for the secrets of the keys that the options name: clients are told those.
func (s *Server) takeDirectory(document stateDocument) error {
	var problems []error
	for _, user := range document.Users {
		problems = append(problems, s.SetUser(user))
	}
	for _, role := range document.Roles {
		problems = append(problems, s.SetRole(role))
	}
	for _, provider := range document.IdentityProviders {
		problems = append(problems, s.SetIdentityProvider(provider))
	}
	for _, key := range document.AccessKeys {
		if slices.ContainsFunc(s.options.AccessKeys, func(k AccessKey) bool { return k.ID == key.ID }) {
			problems = append(problems, s.DisableAccessKey(key.ID, key.Disabled))
			continue
		}
		problems = append(problems, s.SetAccessKey(key))
	}
	return errors.Join(problems...)
}

// savedToken is a ClientToken with what its call came to.
type savedToken struct {
	Key         string          `json:"key"`
	Fingerprint string          `json:"fingerprint"`
	Taken       time.Time       `json:"taken"`
	Result      json.RawMessage `json:"result,omitempty"`
	Refusal     *APIError       `json:"refusal,omitempty"`
	InstanceIDs []string        `json:"instance_ids,omitempty"`
}

// save gives the tokens whose calls are over. One whose call still runs when the server ends is as good as never used.
func (m *tokenMemory) save() ([]savedToken, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	saved := make([]savedToken, 0, len(m.tokens))
	for _, key := range slices.Sorted(maps.Keys(m.tokens)) {
		kept := m.tokens[key]
		if kept.running {
			continue
		}
		result, err := json.Marshal(kept.result)
		if err != nil {
			return nil, err
		}
		saved = append(saved, savedToken{key, kept.fingerprint, kept.taken, result, kept.refusal, kept.instanceIDs})
	}
	return saved, nil
}

func (m *tokenMemory) load(saved []savedToken) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range saved {
		m.tokens[t.Key] = &token{fingerprint: t.Fingerprint, taken: t.Taken, result: t.Result, refusal: t.Refusal, instanceIDs: t.InstanceIDs}
	}
}
