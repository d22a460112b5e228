package provider_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandReshapesAMachine kills applies that change a machine's type or its system disk
// in place: one plain apply later the machine is what the configuration says, and each
// effect took place once.
func commandReshapesAMachine(t *testing.T, installation *terraformcli.Installation) {
	both := func(types, version string) string {
		return acctest.Class(acctest.Arguments{"instance_types": types}) + acctest.Allocation("worker-a", acctest.Arguments{
			"instance_type_on_change": `"resize"`, "user_data_on_change": `"reinstall"`,
			"user_data_wo_version": version, "user_data_wo": strconv.Quote("#cloud-config\n# " + version + "\n"),
		})
	}

	for _, test := range []struct {
		name, before, after string
		calls               []string
		effects             map[string]int
		told                []string
		want                func(ecsemulator.Instance) error
	}{
		{
			name: "another type", before: ofTypes(`["ecs.g7.large"]`), after: ofTypes(`["ecs.g7.xlarge"]`),
			calls: []string{"StopInstance", "ModifyInstanceSpec", "StartInstance"}, effects: map[string]int{"stopped": 1, "started": 1},
			told: []string{"2 to change", "0 to destroy", "Machine will be resized", "It will be stopped"},
			want: hasType("ecs.g7.xlarge"),
		},
		{
			name: "another disk", before: ofData("1"), after: ofData("2"),
			calls: []string{"ReplaceSystemDisk", "StartInstance"}, effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1},
			told: []string{"0 to destroy", "Machine will be reinstalled", "its system disk destroyed with all that is on it"},
			want: hasData("2"),
		},
		{
			name: "another type and another disk", before: both(`["ecs.g7.large"]`, "1"), after: both(`["ecs.g7.xlarge"]`, "2"),
			calls: []string{"StopInstance", "ModifyInstanceSpec", "ReplaceSystemDisk", "StartInstance"}, effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1},
			told: []string{"2 to change", "0 to destroy", "Machine will be re"},
			want: func(machine ecsemulator.Instance) error {
				return errors.Join(hasType("ecs.g7.xlarge")(machine), hasData("2")(machine))
			},
		},
	} {
		for _, call := range test.calls {
			for _, at := range []ecsemulator.Moment{ecsemulator.MomentBefore, ecsemulator.MomentAfter} {
				t.Run(fmt.Sprintf("%s, killed %s %s", test.name, at, call), func(t *testing.T) {
					t.Parallel()

					c := newCommand(t, installation, ecsemulator.Options{})
					machine := c.launched(test.before)

					c.configure(test.after)
					c.expectPrinted(c.run("plan"), test.told...)
					c.killed(ecsemulator.Rule{Action: call, At: at})
					c.run("apply", "-auto-approve")
					c.expectEnded(machine, operationKill{effects: test.effects, status: "Running"}, test.want)
				})
			}
		}
	}
}
