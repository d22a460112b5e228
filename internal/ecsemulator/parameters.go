package ecsemulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// defaultMaxLength bounds, in bytes, every string parameter whose table names no bound of its own. The documentation gives bounds per
// parameter only; this one keeps an overlong value from being taken silently.
const defaultMaxLength = 1024

type parameterKind string

const (
	kindString  parameterKind = "string"
	kindInteger parameterKind = "integer" // of 32 bits
	kindLong    parameterKind = "long"    // of 64 bits
	kindBoolean parameterKind = "boolean"
	kindNumber  parameterKind = "number"
)

type parameterSpec struct {
	kind      parameterKind
	maxLength int
}

// parameterTable holds the parameters that an action declares, by name, with N in the place of an index: Tag.N.Key.
type parameterTable map[string]parameterSpec

// parseParameterTable reads lines of the form "<kind>[ <max length>]: Name Name ...".
func parseParameterTable(text string) (parameterTable, error) {
	table := parameterTable{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		head, names, found := strings.Cut(line, ":")
		kind, bound, bounded := strings.Cut(head, " ")
		spec := parameterSpec{kind: parameterKind(kind), maxLength: defaultMaxLength}
		if !found || !slices.Contains([]parameterKind{kindString, kindInteger, kindLong, kindBoolean, kindNumber}, spec.kind) {
			return nil, fmt.Errorf("parameter table: no kind in %q", line)
		}
		if bounded {
			length, err := strconv.Atoi(bound)
			if err != nil {
				return nil, fmt.Errorf("parameter table: max length in %q: %w", line, err)
			}
			spec.maxLength = length
		}
		for _, name := range strings.Fields(names) {
			if _, twice := table[name]; twice {
				return nil, fmt.Errorf("parameter table: %s is declared twice", name)
			}
			table[name] = spec
		}
	}
	return table, nil
}

// isCommonParameter tells the parameters that every action takes: those of the protocol, the region, and the owner fields that the
// SDKs keep for the vendor's own use.
func isCommonParameter(name string) bool {
	switch name {
	case "Action", "Version", "Format", "Timestamp", "SignatureMethod", "SignatureVersion", "SignatureType", "SignatureNonce",
		"AccessKeyId", "SecurityToken", "Signature", "SourceIp", "SecureTransport", "RegionId",
		"OwnerId", "OwnerAccount", "ResourceOwnerId", "ResourceOwnerAccount":
		return true
	default:
		return false
	}
}

// commonParameter tells what a common parameter may be. Tokens of sessions are long; the owner ids are numbers.
func commonParameter(name string) parameterSpec {
	switch name {
	case "SecurityToken":
		return parameterSpec{kindString, 16 << 10}
	case "OwnerId", "ResourceOwnerId":
		return parameterSpec{kindLong, 0}
	case "SecureTransport":
		return parameterSpec{kindBoolean, 0}
	default:
		return parameterSpec{kindString, defaultMaxLength}
	}
}

// parameters are the decoded parameters of one call.
type parameters struct {
	values map[string]string
}

// decodeParameters checks all that came against the table: unknown names, values of the wrong kind, overlong values, names given
// twice and gaps in numbered lists are refused.
func decodeParameters(table parameterTable, given url.Values) (parameters, *APIError) {
	p := parameters{values: make(map[string]string, len(given))}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		values := given[name]
		if len(values) > 1 {
			return p, invalidParameter(name)
		}
		general, ok := generalName(name)
		spec, declared := table[general]
		if isCommonParameter(name) {
			spec = commonParameter(name)
		} else if !ok || !declared {
			return p, refuse(400, "UnsupportedParameter", "The parameter %q is not supported.", clip(name))
		}
		if !spec.accepts(values[0]) {
			return p, invalidParameter(name)
		}
		p.values[name] = values[0]
	}
	return p, p.checkGaps()
}

func (s parameterSpec) accepts(value string) bool {
	if value == "" {
		return true
	}
	switch s.kind {
	case kindInteger:
		_, err := strconv.ParseInt(value, 10, 32)
		return err == nil
	case kindLong:
		_, err := strconv.ParseInt(value, 10, 64)
		return err == nil
	case kindBoolean:
		lower := strings.ToLower(value)
		return lower == "true" || lower == "false"
	case kindNumber:
		number, err := strconv.ParseFloat(value, 64)
		return err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
	default:
		return len(value) <= s.maxLength
	}
}

// generalName turns DataDisk.1.Size into DataDisk.N.Size. It is not ok if an index is not a plain positive number.
func generalName(name string) (string, bool) {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if i == 0 || part == "" || part[0] < '0' || part[0] > '9' {
			continue
		}
		index, err := strconv.Atoi(part)
		if err != nil || index < 1 || index > 1000 || strconv.Itoa(index) != part {
			return "", false
		}
		parts[i] = "N"
	}
	return strings.Join(parts, "."), true
}

// checkGaps refuses a list that has an element k+1 but no element k.
func (p parameters) checkGaps() *APIError {
	present := map[string]bool{}
	for name := range p.values {
		if strings.HasPrefix(name, "Filter.") {
			continue // its numbers have fixed meanings
		}
		parts := strings.Split(name, ".")
		for i := 1; i < len(parts); i++ {
			if parts[i] != "" && parts[i][0] >= '0' && parts[i][0] <= '9' {
				present[strings.Join(parts[:i+1], ".")] = true
			}
		}
	}
	for _, element := range slices.Sorted(maps.Keys(present)) {
		dot := strings.LastIndexByte(element, '.')
		index, _ := strconv.Atoi(element[dot+1:]) // generalName has checked it
		if index > 1 && !present[element[:dot+1]+strconv.Itoa(index-1)] {
			return invalidParameter(element)
		}
	}
	return nil
}

// string gives a value, empty if it was not sent.
func (p parameters) string(name string) string { return p.values[name] }

func (p parameters) has(name string) bool { return p.values[name] != "" }

// integer gives a value that decodeParameters has checked, or the fallback if none was sent.
func (p parameters) integer(name string, fallback int) int {
	value, err := strconv.Atoi(p.values[name])
	if err != nil {
		return fallback
	}
	return value
}

// boolean gives a value that decodeParameters has checked, or the fallback if none was sent.
func (p parameters) boolean(name string, fallback bool) bool {
	if !p.has(name) {
		return fallback
	}
	return strings.EqualFold(p.values[name], "true")
}

// number gives a value that decodeParameters has checked, or the fallback if none was sent.
func (p parameters) number(name string, fallback float64) float64 {
	value, err := strconv.ParseFloat(p.values[name], 64)
	if err != nil {
		return fallback
	}
	return value
}

// count is the number of elements of a numbered list, of values (InstanceId.1) or of structs (Tag.1.Key).
func (p parameters) count(list string) int {
	highest := 0
	for name := range p.values {
		rest, found := strings.CutPrefix(name, list)
		if !found || rest == "" || rest[0] != '.' {
			continue
		}
		index, _, _ := strings.Cut(rest[1:], ".")
		if n, err := strconv.Atoi(index); err == nil {
			highest = max(highest, n)
		}
	}
	return highest
}

// list gives the values of a numbered list: InstanceId.1, InstanceId.2 ...
func (p parameters) list(name string) []string {
	values := make([]string, 0, p.count(name))
	for i := range p.count(name) {
		values = append(values, p.values[element(name, i+1)])
	}
	return values
}

// maxJSONList is how many values a JSON array may hold, in every action that takes one.
const maxJSONList = 100

// jsonList gives the values of a parameter that holds a JSON array of strings, and whether it was sent.
func (p parameters) jsonList(name string) ([]string, bool, *APIError) {
	if !p.has(name) {
		return nil, false, nil
	}
	var values []string
	if err := json.Unmarshal([]byte(p.values[name]), &values); err != nil || values == nil {
		return nil, true, invalidParameter(name)
	}
	if len(values) > maxJSONList {
		return nil, true, invalidParameter(name)
	}
	return values, true, nil
}

func element(list string, index int) string { return list + "." + strconv.Itoa(index) }

// business gives the parameters of the action itself, without those of the protocol: what makes two calls with one ClientToken the
// same call. The documentation excludes only nonce, timestamp and signature; excluding the credential too lets a client repeat a call
// after it refreshed a temporary key.
func (p parameters) business() map[string]string {
	own := map[string]string{}
	for name, value := range p.values {
		if !isCommonParameter(name) || name == "RegionId" {
			own[name] = value
		}
	}
	return own
}

// clip gives a text, or its beginning, without keeping alive what it was cut from.
func clip(text string) string {
	if len(text) > 64 {
		return strings.ToValidUTF8(text[:64], "") + "..."
	}
	return strings.Clone(text)
}
