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
	resized := func(types string) string {
		return acctest.Class(acctest.Arguments{"instance_types": types}) + acctest.Allocation("worker-a", acctest.Arguments{"instance_type_on_change": `"resize"`})
	}
	reinstalled := func(version string) string {
		return acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{
			"user_data_on_change": `"reinstall"`, "user_data_wo_version": version, "user_data_wo": strconv.Quote("#cloud-config\n# " + version + "\n"),
		})
	}

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
			name: "another type", before: resized(`["ecs.g7.large"]`), after: resized(`["ecs.g7.xlarge"]`),
			calls: []string{"StopInstance", "ModifyInstanceSpec", "StartInstance"}, effects: map[string]int{"stopped": 1, "started": 1},
			told: []string{"2 to change", "0 to destroy", "Machine will be resized", "It will be stopped"},
			want: func(machine ecsemulator.Instance) error {
				if machine.InstanceType != "ecs.g7.xlarge" {
					return fmt.Errorf("the machine is %s", machine.InstanceType)
				}

				return nil
			},
		},
		{
			name: "another disk", before: reinstalled("1"), after: reinstalled("2"),
			calls: []string{"ReplaceSystemDisk", "StartInstance"}, effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1},
			told: []string{"0 to destroy", "Machine will be reinstalled", "its system disk destroyed with all that is on it"},
			want: func(machine ecsemulator.Instance) error {
				if machine.UserDataSHA256 != hashOf("#cloud-config\n# 2\n") {
					return fmt.Errorf("%s has its old first-boot data", machine.ID)
				}

				return nil
			},
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
					c.configure(test.before)
					c.run("init")
					c.run("apply", "-auto-approve")

					machine := c.recorded()[0]

					c.configure(test.after)
					c.expectPrinted(c.run("plan"), test.told...)
					c.killed(ecsemulator.Rule{Action: call, At: at})
					c.run("apply", "-auto-approve")
					c.expectMachines(1)
					c.expectAlive(machine)
					c.expectOperated(machine, operationKill{effects: test.effects, status: "Running"})

					if err := test.want(instanceOf(t, c.cloud, machine)); err != nil {
						t.Error(err)
					}

					c.run("plan", "-detailed-exitcode")
					c.run("plan", "-detailed-exitcode")

					if tag, there := instanceOf(t, c.cloud, machine).Tags[operationTag]; there {
						t.Errorf("it left its trace: %s", tag)
					}

					c.expectDestroyed()
				})
			}
		}
	}
}
