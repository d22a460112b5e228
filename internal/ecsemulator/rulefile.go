package ecsemulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ReadRules reads a JSON list of rules, such as
//
//	[{"id": "slow", "kind": "delay", "action": "Describe*", "seconds": 2}]
//
// Errors: what is no such list, an unknown field, a rule that cannot work (named by its place, from 1), an id given twice.
func ReadRules(r io.Reader) ([]Rule, error) {
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	var rules []Rule
	if err := decoder.Decode(&rules); err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read rules: there is something after the list")
	}
	ids := map[string]int{}
	for n, rule := range rules {
		if _, err := rule.check(); err != nil {
			return nil, fmt.Errorf("read rules: rule %d: %w", n+1, err)
		}
		if first, twice := ids[rule.ID]; twice && rule.ID != "" {
			return nil, fmt.Errorf("read rules: rule %d: id %q is that of rule %d", n+1, rule.ID, first)
		}
		ids[rule.ID] = n + 1
	}
	return rules, nil
}
