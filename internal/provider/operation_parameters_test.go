package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
)

// unknown stands for a value that is not known yet.
const unknown = "\x00unknown"

// validate is what is said of a resource without its provider's settings, as terraform
// validate and the beginning of each plan have it.
func (p *protocol) validate(name string, wanted arguments) []*tfprotov6.Diagnostic {
	p.Helper()

	kind := p.objectType(p.schemas.ResourceSchemas[name])

	given, err := tftypes.Transform(p.decode(kind, wanted), func(_ *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if value.Equal(tftypes.NewValue(tftypes.String, unknown)) {
			return tftypes.NewValue(tftypes.String, tftypes.UnknownValue), nil
		}

		return value, nil
	})
	if err != nil {
		p.Fatal(err)
	}

	validated, err := p.server.ValidateResourceConfig(p.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: name, Config: p.encode(kind, given),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		p.Fatal(err)
	}

	return validated.Diagnostics
}

// What is wrong with parameters is told before there is a machine, or even a provider.
func TestValidateTellsWhatIsWrongWithParameters(t *testing.T) {
	t.Parallel()

	p := newProtocolUnconfigured(t)

	type parameters = arguments

	for name, test := range map[string]struct {
		kind       string
		parameters parameters
		// changes are those of other arguments.
		changes arguments
		// want is what is said, each once; nothing where it is empty.
		want []string
	}{
		"power off, a boolean":                {"HostPowerOff", parameters{"force_after_timeout": "maybe"}, nil, []string{`HostPowerOff: the parameter force_after_timeout is one of true, false, and not "maybe"`}},
		"power off, force":                    {"HostPowerOff", parameters{"force": "yes"}, nil, []string{`the parameter force is one of true, false, and not "yes"`}},
		"power off, an empty boolean":         {"HostPowerOff", parameters{"force": ""}, nil, []string{`the parameter force is one of true, false, and not ""`}},
		"power off, the mode":                 {"HostPowerOff", parameters{"stopped_mode": "Halt"}, nil, []string{`stopped_mode is one of KeepCharging, StopCharging, and not "Halt"`}},
		"power off, no duration":              {"HostPowerOff", parameters{"graceful_timeout": "5"}, nil, []string{`graceful_timeout is a duration of at least 1s, such as 5m, and not "5"`}},
		"power off, too short":                {"HostPowerOff", parameters{"graceful_timeout": "-5m"}, nil, []string{`a duration of at least 1s`}},
		"power off, force and a timeout":      {"HostPowerOff", parameters{"force": "true", "graceful_timeout": "5m"}, nil, []string{"nothing is asked to shut down"}},
		"power off, force after nothing":      {"HostPowerOff", parameters{"force_after_timeout": "true"}, nil, []string{"needs graceful_timeout, after which the power is cut"}},
		"power off, an image":                 {"HostPowerOff", parameters{"image_id": "m-acme2"}, nil, []string{`HostPowerOff takes no parameter "image_id"`}},
		"power on, force":                     {"HostPowerOn", parameters{"force": "true"}, nil, []string{`HostPowerOn takes no parameter "force"; it takes console_output_on_failure`}},
		"power on, the console":               {"HostPowerOn", parameters{"console_output_on_failure": "1"}, nil, []string{`console_output_on_failure is one of true, false, and not "1"`}},
		"reboot, a timeout":                   {"HostReboot", parameters{"force": "true", "graceful_timeout": "5m"}, nil, []string{`HostReboot takes no parameter "graceful_timeout"; it takes console_output_on_failure, force`}},
		"reboot, force":                       {"HostReboot", parameters{"force": "TRUE"}, nil, []string{`the parameter force is one of true, false, and not "TRUE"`}},
		"replace, a size":                     {"HostReplace", parameters{"image_id": "m-acme2", "system_disk_size_gib": "40 GiB"}, nil, []string{`a number of GiB of at most 2048, and not "40 GiB"`}},
		"replace, an image and a family":      {"HostReplace", parameters{"image_id": "m-acme2", "image_family": "acme"}, nil, []string{"image_id and image_family exclude each other"}},
		"replace, no image":                   {"HostReplace", nil, nil, []string{"HostReplace needs the parameter image_id"}},
		"replace, a null image":               {"HostReplace", parameters{"image_id": nil}, nil, []string{"HostReplace needs the parameter image_id"}},
		"replace, one that there is not":      {"HostReplace", parameters{"image_id": "m-acme2", "bogus": "1"}, nil, []string{`HostReplace takes no parameter "bogus"; it takes console_output_on_failure, image_family, image_id, system_disk_size_gib, force, force_after_timeout, graceful_timeout.`}},
		"replace, an argument":                {"HostReplace", parameters{"image_id": "m-acme2", "keep_user_data": "true"}, nil, []string{`keep_user_data is an argument of machine_operation, and none of its parameters: write it beside them, as keep_user_data = true`}},
		"replace, data as a parameter":        {"HostReplace", parameters{"image_id": "m-acme2", "replace_user_data_wo": "#!/bin/sh"}, nil, []string{`replace_user_data_wo is an argument of machine_operation, and none of its parameters`}},
		"reboot, an argument":                 {"HostReboot", parameters{"keep_user_data": "true"}, nil, []string{`HostReboot takes no parameter "keep_user_data"; it takes console_output_on_failure, force.`}},
		"replace, what lifecycle hands on":    {"HostReplace", parameters{"image_id": "m-acme2", "instance-types": "ecs.g7.large"}, nil, []string{`HostReplace takes no parameter "instance-types"`}},
		"reboot, what lifecycle hands on":     {"HostReboot", parameters{"repeatable": "true", "given-up": "true"}, nil, []string{`HostReboot takes no parameter "repeatable"`}},
		"several":                             {"HostPowerOff", parameters{"force": "yes", "stopped_mode": "Halt", "forse": "true"}, nil, []string{`the parameter force is one of`}},
		"beside one that is not known":        {"HostReplace", parameters{"image_id": unknown, "force": "maybe"}, nil, []string{`HostReplace: the parameter force is one of true, false, and not "maybe"`}},
		"an image that is not known":          {"HostReplace", parameters{"image_id": unknown}, nil, nil},
		"a family that is not known":          {"HostReplace", parameters{"image_family": unknown}, nil, nil},
		"a timeout that is not known":         {"HostPowerOff", parameters{"force_after_timeout": "true", "graceful_timeout": unknown}, nil, nil},
		"another kind's that is not known":    {"HostReboot", parameters{"graceful_timeout": unknown}, nil, nil},
		"another kind's that is null":         {"HostReboot", parameters{"graceful_timeout": nil}, nil, nil},
		"a kind that is not known":            {unknown, parameters{"forse": "true"}, arguments{"keep_user_data": nil}, nil},
		"reboot, first-boot data":             {"HostReboot", nil, arguments{"keep_user_data": true}, []string{"Only HostReplace lets the machine boot for the first time again"}},
		"a machine that is none":              {"HostReboot", nil, arguments{"provider_id": "worker-a"}, []string{`"worker-a" is not a provider ID`}},
		"a machine of the provider's region":  {"HostReboot", nil, arguments{"provider_id": "i-bp1abc"}, nil},
		"right, power off":                    {"HostPowerOff", parameters{"graceful_timeout": "5m", "force_after_timeout": "true", "stopped_mode": "StopCharging"}, nil, nil},
		"right, replace":                      {"HostReplace", parameters{"image_family": "acme", "system_disk_size_gib": "40", "force": "true"}, nil, nil},
		"a name, and parameters":              {"HostPowerOff", parameters{"force": "maybe"}, arguments{"name": "1st"}, []string{"must be 2 to 100 letters", "the parameter force is one of"}},
		"no first-boot data, and parameters":  {"HostReplace", parameters{"image_id": "m-acme2", "force": "maybe"}, arguments{"keep_user_data": nil}, []string{"What shall the machine run at its first boot?", "the parameter force is one of"}},
		"a timeout, and parameters":           {"HostPowerOff", parameters{"force": "maybe"}, arguments{"timeouts": arguments{"create": "20"}}, []string{"timeouts.create: want a number and its unit", "the parameter force is one of"}},
		"data of two forms, and parameters":   {"HostReplace", parameters{"image_id": "m-acme2", "force": "maybe"}, arguments{"replace_user_data_wo": "#!/bin/sh"}, []string{"cannot be specified when", "the parameter force is one of"}},
		"data that is too long, and the rest": {"HostReplace", parameters{"force": "maybe"}, arguments{"keep_user_data": nil, "replace_user_data_wo_base64": "no Base64"}, []string{"Base64", "the parameter force is one of"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			wanted := arguments{"name": "kernel", "kind": test.kind, "provider_id": unknown}
			if test.kind == "HostReplace" {
				wanted["keep_user_data"] = true
			}

			if test.parameters != nil {
				wanted["parameters"] = test.parameters
			}

			said := p.validate(operationType, wanted.with(test.changes))

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
