package ecs

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// Shorter values are no secrets, and removing them would garble the text.
	shortestSecret = 4
	shortestLine   = 8
	longestMessage = 1000
)

// stringToSign is what the API puts before the string to sign, which holds every
// parameter of the request.
const stringToSign = "string to sign is:"

// secretParameterNames are names, not secrets.
const secretParameterNames = "AccessKeyId|AccessKeySecret|Signature|SignatureNonce|SecurityToken|BearerToken|UserData|Password" //nolint:gosec // G101 takes the names for a secret.

var (
	plainParameters = regexp.MustCompile(`(?i)(` + secretParameterNames + `)=[^&\s"'<>]*`)
	// escapedParameters finds the same where = and & were escaped, once (a query
	// in a query) or twice (a string to sign). It takes more than the value, never
	// less.
	escapedParameters = regexp.MustCompile(`(?i)(` + secretParameterNames + `)%(?:25)?3D[^\s"'<>]*`)
	// userInfo finds the login in an address, as of a proxy.
	userInfo = regexp.MustCompile(`://[^/@\s"]*@`)
	queries  = regexp.MustCompile(`\?[^\s"'<>]+`)
)

// scrubber removes secrets from texts that came from elsewhere.
type scrubber struct {
	secrets []string
}

// newScrubber removes these values, as they are and in the encodings in which
// they travel.
func newScrubber(secrets ...string) scrubber { return scrubber{secrets: secrets} }

// values are made only when there is a text to scrub: most calls have none, and a
// secret can be long.
func (s scrubber) values() []string {
	var values []string
	for _, secret := range s.secrets {
		if len(secret) < shortestSecret {
			continue
		}
		encoded := base64.StdEncoding.EncodeToString([]byte(secret))
		for _, value := range []string{secret, encoded} {
			once := url.QueryEscape(value)
			values = append(values, value, once, url.QueryEscape(once))
		}
		if lines := strings.Split(secret, "\n"); len(lines) > 1 {
			// A text is also quoted by the line.
			for _, line := range lines {
				if line = strings.TrimSpace(line); len(line) >= shortestLine {
					values = append(values, line)
				}
			}
		}
	}
	return values
}

// text returns a server's text without secrets, and not too long.
func (s scrubber) text(text string) string {
	if before, _, found := strings.Cut(text, stringToSign); found {
		text = before + stringToSign + " " + masked
	}
	for _, value := range s.values() {
		text = strings.ReplaceAll(text, value, masked)
	}
	text = plainParameters.ReplaceAllString(text, "${1}="+masked)
	text = escapedParameters.ReplaceAllString(text, "${1}="+masked)
	text = strings.TrimSpace(userInfo.ReplaceAllString(text, "://"+masked+"@"))
	if len(text) > longestMessage {
		cut := longestMessage
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "..."
	}
	return text
}

// transport returns a text of the transport without secrets and queries.
func (s scrubber) transport(text string) string {
	return s.text(queries.ReplaceAllString(text, "?"+masked))
}
