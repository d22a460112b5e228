package acctest_test

import (
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

func TestTextFindsPhrasesAcrossLines(t *testing.T) {
	t.Parallel()

	const printed = "│ Error: No region\n│ \n│ The class names no region, and the\n│ provider has none. Set alicloud.region (or not)\n"

	for name, test := range map[string]struct {
		phrases []string
		want    bool
	}{
		"one phrase over a line break":  {[]string{"and the provider has none"}, true},
		"two phrases in their order":    {[]string{"No region", "Set alicloud.region (or not)"}, true},
		"two phrases in another order":  {[]string{"Set alicloud.region", "No region"}, false},
		"a phrase that is not there":    {[]string{"No zone"}, false},
		"a pattern is no pattern there": {[]string{"alicloud?region"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := acctest.Text(test.phrases...).MatchString(printed); got != test.want {
				t.Errorf("found: %v", got)
			}
		})
	}
}

// stateWith is a state that holds a machine of this ID.
func stateWith(id string) *terraform.State {
	return &terraform.State{Modules: []*terraform.ModuleState{{Resources: map[string]*terraform.ResourceState{
		"machine_allocation.a": {Type: "machine_allocation", Primary: &terraform.InstanceState{Attributes: map[string]string{"provider_resource_id": id}}},
		"machine_class.a":      {Type: "machine_class", Primary: &terraform.InstanceState{}},
	}}}}
}

func TestMachinesAreComparedWithState(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine := cloud.Existing(t, ecsemulator.NewInstance{})

	if err := cloud.CheckMachines(0)(stateWith(machine.ID)); err != nil {
		t.Error(err)
	}

	if err := cloud.CheckNothingLaunched()(nil); err != nil {
		t.Error(err)
	}

	cloud.Tag(t, machine, map[string]string{"a": "b"})

	for name, err := range map[string]error{
		"another machine in state": cloud.CheckMachines(0)(stateWith("i-other")),
		"a launch that was not":    cloud.CheckMachines(1)(stateWith(machine.ID)),
		"a machine that is left":   cloud.CheckNothingLeft(0)(nil),
		"a tag that was written":   cloud.CheckNothingLaunched()(nil),
	} {
		if err == nil {
			t.Errorf("%s is not seen", name)
		}
	}

	if err := cloud.CheckNothingLaunched("tagged")(nil); err != nil {
		t.Error(err)
	}
}

// No setting of the caller may decide how a test ends.
func TestTheEnvironmentIsCutOff(t *testing.T) {
	t.Parallel()

	for _, name := range []string{"ALIBABA_CLOUD_ACCESS_KEY_ID", "ALICLOUD_ACCESS_KEY", "ALIBABA_CLOUD_REGION", "TF_LOG", "TF_CLI_ARGS", "TF_VAR_x"} {
		if value, set := os.LookupEnv(name); set {
			t.Errorf("%s is %q", name, value)
		}
	}

	if _, err := os.Stat(os.Getenv("TF_CLI_CONFIG_FILE")); err != nil {
		t.Errorf("the CLI is told to read a configuration that is not there: %v", err)
	}
}
