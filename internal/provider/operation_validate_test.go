package provider_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// A mistake that no command gets past hides no other one.
func TestOneMistakeOfAnOperationHidesNoOther(t *testing.T) {
	t.Parallel()

	right := arguments{"name": "kernel", "kind": "HostReplace", "provider_id": "cn-hangzhou.i-bp1abc", "keep_user_data": true, "parameters": arguments{"image_id": "m-acme2"}}
	wrong := arguments{"forse": "true", "image_id": "m-acme2"}

	const (
		wrongName       = "must be 2 to 100 letters"
		wrongParameters = `takes no parameter "forse"`
		noFirstBoot     = "What shall the machine run at its first boot?"
		noFirst         = "Only HostReplace lets the machine boot for the first time again"
		malformed       = `"worker-a" is not a provider ID`
		wrongTimeout    = `timeouts.create: want a number and its unit`
	)

	for name, test := range map[string]struct {
		changes arguments
		want    []string
	}{
		"a name, and parameters":                {arguments{"name": "1st", "parameters": wrong}, []string{wrongName, wrongParameters}},
		"a name, and the machine":               {arguments{"name": "1st", "provider_id": "worker-a"}, []string{wrongName, malformed}},
		"no first-boot data, and parameters":    {arguments{"keep_user_data": nil, "parameters": wrong}, []string{noFirstBoot, wrongParameters}},
		"first-boot data that is not kept":      {arguments{"keep_user_data": false, "parameters": wrong}, []string{"keep_user_data", wrongParameters}},
		"a reboot, and first-boot data":         {arguments{"kind": "HostReboot", "parameters": wrong}, []string{noFirst, wrongParameters}},
		"a timeout, first-boot data and others": {arguments{"keep_user_data": nil, "provider_id": "worker-a", "timeouts": arguments{"create": "20"}, "parameters": wrong}, []string{wrongTimeout, noFirstBoot, malformed, wrongParameters}},
		// The region is the provider's.
		"a name, and a machine without a region": {arguments{"name": "1st", "provider_id": "i-bp1abc", "parameters": wrong}, []string{wrongName, wrongParameters}},
		// What a kind takes that there is not nobody knows.
		"a kind":       {arguments{"kind": "HostRestart", "name": "1st", "keep_user_data": nil, "parameters": wrong}, []string{"Not a kind of machine_operation", wrongName}},
		"nothing else": {arguments{"name": "1st"}, []string{wrongName}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, said := newProtocol(t, acctest.Start(t, ecsemulator.Options{})).create(t.Context(), operationType, right.with(test.changes), false)

			for _, phrase := range test.want {
				if !acctest.Text(phrase).MatchString(rendered(said)) {
					t.Errorf("%q is not said in\n%s", phrase, rendered(said))
				}
			}

			if len(said) != len(test.want) {
				t.Errorf("%d mistakes are told, want %d:\n%s", len(said), len(test.want), rendered(said))
			}
		})
	}
}
