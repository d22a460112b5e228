package machineops_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	reboot   = unboundedv1alpha3.OperationHostReboot
	replace  = unboundedv1alpha3.OperationHostReplace
	allocate = unboundedv1alpha3.OperationHostAllocate
	release  = unboundedv1alpha3.OperationHostRelease
)

// foreignProviderOption passes for an option by embedding the interface, which is
// the one way around its unexported method.
type foreignProviderOption struct{ machineops.ProviderOption }

type foreignOperationOption struct{ machineops.OperationOption }

func TestNewProviderRefuses(t *testing.T) {
	t.Parallel()

	capacity := machineops.WithCapacity(resolveClass, planAllocation)
	machineKind := schema.GroupKind{Group: "cloud.example.com", Kind: "Host"}

	for name, test := range map[string]struct {
		provider string
		options  []machineops.ProviderOption
		message  string
	}{
		"an empty name": {
			provider: "",
			options:  []machineops.ProviderOption{immediate(reboot)},
			message:  "needs a name",
		},
		"a name of white space": {
			provider: " \t",
			options:  []machineops.ProviderOption{immediate(reboot)},
			message:  "needs a name",
		},
		"a name that nothing would match": {
			provider: "Cloud ",
			options:  []machineops.ProviderOption{immediate(reboot)},
			message:  "white space",
		},
		"no operation at all": {
			provider: "Cloud",
			message:  "no operation is registered",
		},
		"a machine kind but no operation": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{machineops.WithProviderMachineKind(machineKind)},
			message:  "no operation is registered",
		},
		"a nil option": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(reboot), nil},
			message:  "nil or was not made by this package",
		},
		"an option that holds a nil option": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(reboot), foreignProviderOption{}},
			message:  "nil or was not made by this package",
		},
		"an option that is a nil pointer": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(reboot), (*foreignProviderOption)(nil)},
			message:  "nil or was not made by this package",
		},
		"a nil operation option": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(reboot, nil)},
			message:  "HostReboot: an option is nil",
		},
		"an operation option that holds a nil option": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{longRunning(reboot, foreignOperationOption{})},
			message:  "HostReboot: an option is nil",
		},
		"an empty kind": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate("")},
			message:  "kind is empty",
		},
		"a kind that does not exist": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate("HostRebot")},
			message:  `"HostRebot" is unknown`,
		},
		"one immediate kind twice": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(reboot), immediate(reboot)},
			message:  "HostReboot is registered twice",
		},
		"one kind as immediate and as long-running": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(reboot), longRunning(reboot)},
			message:  "HostReboot is registered twice",
		},
		"a nil execute callback": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{machineops.WithImmediateOperation(reboot, nil)},
			message:  "execute callback is nil",
		},
		"a nil begin callback": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{machineops.WithLongRunningOperation(reboot, nil, poll)},
			message:  "begin callback is nil",
		},
		"a nil poll callback": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{machineops.WithLongRunningOperation(reboot, begin, nil)},
			message:  "poll callback is nil",
		},
		"a nil cleanup callback": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(reboot, machineops.WithCleanup(nil))},
			message:  "cleanup callback is nil",
		},
		"cleanup twice": {
			provider: "Cloud",
			options: []machineops.ProviderOption{
				immediate(reboot, machineops.WithCleanup(cleanup), machineops.WithCleanup(cleanup)),
			},
			message: "cleanup is registered twice",
		},
		"a nil class resolution callback": {
			provider: "Cloud",
			options: []machineops.ProviderOption{
				longRunning(allocate), longRunning(release), machineops.WithCapacity(nil, planAllocation),
			},
			message: "resolve class callback is nil",
		},
		"a nil allocation planning callback": {
			provider: "Cloud",
			options: []machineops.ProviderOption{
				longRunning(allocate), longRunning(release), machineops.WithCapacity(resolveClass, nil),
			},
			message: "plan allocation callback is nil",
		},
		"capacity twice": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{longRunning(allocate), longRunning(release), capacity, capacity},
			message:  "capacity is registered twice",
		},
		"capacity without HostAllocate": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{longRunning(release), capacity},
			message:  "capacity needs operation HostAllocate",
		},
		"capacity without HostRelease": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{longRunning(allocate), capacity},
			message:  "capacity needs operation HostRelease",
		},
		"capacity with an immediate HostAllocate": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(allocate), longRunning(release), capacity},
			message:  "HostAllocate to be long-running",
		},
		"capacity with an immediate HostRelease": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{longRunning(allocate), immediate(release), capacity},
			message:  "HostRelease to be long-running",
		},
		"HostAllocate without capacity": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{longRunning(allocate)},
			message:  "HostAllocate needs capacity",
		},
		"HostRelease without capacity": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{immediate(reboot), longRunning(release)},
			message:  "HostRelease needs capacity",
		},
		"a replay-safe long-running operation": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{longRunning(reboot, machineops.ReplaySafe())},
			message:  "only an immediate operation can be replay-safe",
		},
		"replacement user data for another kind than HostReplace": {
			provider: "Cloud",
			options:  []machineops.ProviderOption{longRunning(reboot, machineops.RequiresReplaceUserData())},
			message:  "only HostReplace takes replacement user data",
		},
		"a machine kind without a group": {
			provider: "Cloud",
			options: []machineops.ProviderOption{
				immediate(reboot), machineops.WithProviderMachineKind(schema.GroupKind{Kind: "Host"}),
			},
			message: "both a group and a kind",
		},
		"a machine kind without a kind": {
			provider: "Cloud",
			options: []machineops.ProviderOption{
				immediate(reboot), machineops.WithProviderMachineKind(schema.GroupKind{Group: "cloud.example.com"}),
			},
			message: "both a group and a kind",
		},
		"a machine kind twice": {
			provider: "Cloud",
			options: []machineops.ProviderOption{
				immediate(reboot),
				machineops.WithProviderMachineKind(machineKind),
				machineops.WithProviderMachineKind(machineKind),
			},
			message: "machine kind is registered twice",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			provider, err := machineops.NewProvider(test.provider, test.options...)
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("error is %v, want one that says %q", err, test.message)
			}

			if provider != nil {
				t.Errorf("got a registration beside the error")
			}
		})
	}
}

func TestProviderNameIsTheNameItWasRegisteredUnder(t *testing.T) {
	t.Parallel()

	if name := register(t, immediate(reboot)).Name(); name != "Cloud" {
		t.Errorf("Name() = %q, want Cloud", name)
	}
}

func TestOperationIsFoundByItsKindOnly(t *testing.T) {
	t.Parallel()

	provider := register(t, immediate(reboot), longRunning(replace, machineops.RequiresReplaceUserData()))

	for kind, mode := range map[unboundedv1alpha3.OperationKind]machineops.OperationMode{
		reboot:  machineops.OperationModeImmediate,
		replace: machineops.OperationModeLongRunning,
	} {
		if got := operation(t, provider, kind).Mode(); got != mode {
			t.Errorf("mode of %s is %q, want %q", kind, got, mode)
		}
	}

	for _, kind := range []unboundedv1alpha3.OperationKind{unboundedv1alpha3.OperationHostPowerOn, "", "hostreboot"} {
		if found, ok := provider.Operation(kind); ok || found != nil {
			t.Errorf("Operation(%q) found %v", kind, found)
		}
	}
}

func TestEveryKindCanBeRegistered(t *testing.T) {
	t.Parallel()

	options := []machineops.ProviderOption{machineops.WithCapacity(resolveClass, planAllocation)}
	for _, kind := range unboundedv1alpha3.OperationKinds() {
		options = append(options, longRunning(kind))
	}

	provider := register(t, options...)
	for _, kind := range unboundedv1alpha3.OperationKinds() {
		operation(t, provider, kind)
	}
}

func TestCapacityIsFoundOnlyWhereRegistered(t *testing.T) {
	t.Parallel()

	if capacity, ok := register(t, immediate(reboot)).Capacity(); ok || capacity != nil {
		t.Errorf("found capacity %v where none is registered", capacity)
	}

	with := register(t, machineops.WithCapacity(resolveClass, planAllocation), longRunning(release), longRunning(allocate))
	if capacity, ok := with.Capacity(); !ok || capacity == nil {
		t.Errorf("Capacity() = %v, %v, want the registered one", capacity, ok)
	}
}

func TestProviderMachineKindIsFoundOnlyWhereDeclared(t *testing.T) {
	t.Parallel()

	if kind, ok := register(t, immediate(reboot)).ProviderMachineKind(); ok || !kind.Empty() {
		t.Errorf("found machine kind %v where none is declared", kind)
	}

	declared := schema.GroupKind{Group: "cloud.example.com", Kind: "Host"}

	with := register(t, machineops.WithProviderMachineKind(declared), immediate(reboot))
	if kind, ok := with.ProviderMachineKind(); !ok || kind != declared {
		t.Errorf("ProviderMachineKind() = %v, %v, want %v", kind, ok, declared)
	}
}

func TestProviderIsImmutable(t *testing.T) {
	t.Parallel()

	operationOptions := []machineops.OperationOption{machineops.ReplaySafe()}
	providerOptions := []machineops.ProviderOption{
		machineops.WithImmediateOperation(reboot, execute, operationOptions...),
	}

	// A slice that the caller goes on using changes nothing, before or after.
	operationOptions[0] = machineops.WithCleanup(nil)

	first := register(t, providerOptions...)
	providerOptions[0] = longRunning(replace)

	if !operation(t, first, reboot).ReplaySafe() {
		t.Errorf("the operation lost its option when the caller reused the slice")
	}

	if _, ok := first.Operation(replace); ok {
		t.Errorf("the registration gained an operation when the caller reused the slice")
	}
}

func TestOptionsCanBuildSeveralProviders(t *testing.T) {
	t.Parallel()

	shared := immediate(reboot, machineops.WithCleanup(cleanup))

	first := operation(t, register(t, shared), reboot)
	second := operation(t, register(t, shared, longRunning(replace)), reboot)

	if first == second {
		t.Errorf("two registrations share one operation")
	}
}

func TestNilProviderIsSafe(t *testing.T) {
	t.Parallel()

	for name, provider := range map[string]*machineops.Provider{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := provider.Name(); got != "" {
				t.Errorf("Name() = %q", got)
			}

			if found, ok := provider.Operation(reboot); ok || found != nil {
				t.Errorf("Operation() = %v, %v", found, ok)
			}

			if capacity, ok := provider.Capacity(); ok || capacity != nil {
				t.Errorf("Capacity() = %v, %v", capacity, ok)
			}

			if kind, ok := provider.ProviderMachineKind(); ok || !kind.Empty() {
				t.Errorf("ProviderMachineKind() = %v, %v", kind, ok)
			}
		})
	}
}
