package machineopstest

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
)

// holdsSecret reports whether text holds a secret, as it is or in one of the forms
// in which user data and keys travel.
func holdsSecret(text string, secrets []string) bool {
	for _, secret := range secrets {
		for _, form := range secretForms(secret) {
			if strings.Contains(text, form) {
				return true
			}
		}
	}

	return false
}

// withoutSecrets replaces secrets, in every form, in a text of the suite's own.
func withoutSecrets(text string, secrets []string) string {
	for _, secret := range secrets {
		for _, form := range secretForms(secret) {
			text = strings.ReplaceAll(text, form, "(redacted)")
		}
	}

	return text
}

func secretForms(secret string) []string {
	forms := []string{
		secret,
		url.QueryEscape(secret),
		url.PathEscape(secret),
		hex.EncodeToString([]byte(secret)),
		strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}

	// In the middle of a longer text the secret has three base64 forms, by the
	// place it begins at. The characters at its ends, which depend on its
	// neighbors too, are left out.
	for offset := range 3 {
		padded := strings.Repeat(" ", offset) + secret
		first, end := (offset*8+5)/6, len(padded)*8/6

		forms = append(
			forms,
			base64.RawStdEncoding.EncodeToString([]byte(padded))[first:end],
			base64.RawURLEncoding.EncodeToString([]byte(padded))[first:end],
		)
	}

	return forms
}
