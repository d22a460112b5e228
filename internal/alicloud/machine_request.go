package alicloud

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver/v1alpha1"
)

// machineRequest is what the driver's requests about one machine have in common.
type machineRequest struct {
	machine *v1alpha1.Machine
	class   *v1alpha1.MachineClass
	secret  *corev1.Secret
}

// check refuses a request that lacks a part.
func (r machineRequest) check() error {
	switch {
	case r.machine == nil:
		return driver.NewError(driver.CodeInvalidArgument, "the request has no Machine")
	case r.machine.Name == "":
		return driver.NewError(driver.CodeInvalidArgument, "the request's Machine has no name")
	}

	return checkClass(r.class, r.secret)
}

func checkClass(class *v1alpha1.MachineClass, secret *corev1.Secret) error {
	switch {
	case class == nil:
		return driver.NewError(driver.CodeInvalidArgument, "the request has no MachineClass")
	case class.Provider != "" && class.Provider != ProviderAlicloud:
		return driver.NewError(driver.CodeInvalidArgument, "the machine class %s is of the provider %q, and this is %s", class.Name, class.Provider, ProviderAlicloud)
	case secret == nil:
		return driver.NewError(driver.CodeInvalidArgument, "the request has no Secret")
	}

	return nil
}

func specOf(class *v1alpha1.MachineClass) (*providerSpec, error) {
	spec, err := decodeProviderSpec(class.ProviderSpec.Raw)
	if err != nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "machine class %s: %w", class.Name, err)
	}

	return spec, nil
}

// knownMachine returns the machine that the request names by its ID; false where it
// names none. A machine of another region than its class's is an error: ECS would
// answer a look in the wrong region as if there were no such machine.
func (r machineRequest) knownMachine(state machineState) (driver.ProviderID, bool, error) {
	if state.ProviderID == "" {
		return driver.ProviderID{}, false, nil
	}

	// A class that cannot be read has no say in where its machines are: they have to
	// be found and deleted all the same.
	region := ""
	if spec, err := decodeProviderSpec(r.class.ProviderSpec.Raw); err == nil {
		region = spec.Region
	}

	id, err := parseProviderID(state.ProviderID, region)
	if err != nil {
		return driver.ProviderID{}, false, err
	}

	if another(id.Region, region) {
		return driver.ProviderID{}, false, driver.NewError(driver.CodeInvalidArgument,
			"machine %s is %s, and its machine class %s is in the region %s; one of them is wrong", r.machine.Name, id, r.class.Name, region)
	}

	return id, true, nil
}

// isMachine reports whether the instance is the machine of that name. An instance
// whose name tag was stripped goes by its instance name.
func isMachine(instance ecs.Instance, name string) bool { return machineName(instance) == name }

func machineName(instance ecs.Instance) string {
	if name := instance.Tags[tagName]; name != "" {
		return name
	}

	return instance.Name
}
