package provider

import "testing"

func TestUsersAppendToTheUserAgent(t *testing.T) {
	t.Parallel()

	for appended, want := range map[string]string{
		"":                   "terraform-provider-machine/1.2.3",
		"  ":                 "terraform-provider-machine/1.2.3",
		" pipeline/42 (ci) ": "terraform-provider-machine/1.2.3 pipeline/42 (ci)",
	} {
		p := &machineProvider{version: "1.2.3", lookupEnv: func(name string) (string, bool) { return appended, name == userAgentVariable }}

		if got := p.userAgent(); got != want {
			t.Errorf("with %q the user agent is %q, want %q", appended, got, want)
		}
	}
}
