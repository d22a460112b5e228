package alicloud_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver/v1alpha1"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// asked calls one method with the parts of a request.
type asked func(context.Context, *v1alpha1.Machine, *v1alpha1.MachineClass, *corev1.Secret) error

func (b *bench) methods() map[string]asked {
	return map[string]asked{
		"CreateMachine": func(ctx context.Context, m *v1alpha1.Machine, c *v1alpha1.MachineClass, s *corev1.Secret) error {
			_, err := b.driver.CreateMachine(ctx, &driver.CreateMachineRequest{Machine: m, MachineClass: c, Secret: s})

			return err
		},
		"DeleteMachine": func(ctx context.Context, m *v1alpha1.Machine, c *v1alpha1.MachineClass, s *corev1.Secret) error {
			_, err := b.driver.DeleteMachine(ctx, &driver.DeleteMachineRequest{Machine: m, MachineClass: c, Secret: s})

			return err
		},
		"GetMachineStatus": func(ctx context.Context, m *v1alpha1.Machine, c *v1alpha1.MachineClass, s *corev1.Secret) error {
			_, err := b.driver.GetMachineStatus(ctx, &driver.GetMachineStatusRequest{Machine: m, MachineClass: c, Secret: s})

			return err
		},
		"ListMachines": func(ctx context.Context, _ *v1alpha1.Machine, c *v1alpha1.MachineClass, s *corev1.Secret) error {
			_, err := b.driver.ListMachines(ctx, &driver.ListMachinesRequest{MachineClass: c, Secret: s})

			return err
		},
	}
}

func TestIncompleteRequestIsRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	ours, wrong, empty := machineClass(t, nil), machineClass(t, nil), machineClass(t, nil)
	wrong.Provider, empty.ProviderSpec.Raw = "AWS", nil

	for method, ask := range b.methods() {
		for name, parts := range map[string]struct {
			machine *v1alpha1.Machine
			class   *v1alpha1.MachineClass
			secret  *corev1.Secret
			text    string
		}{
			"no Machine":               {nil, ours, b.secret(), "Machine"},
			"a Machine without a name": {&v1alpha1.Machine{}, ours, b.secret(), "name"},
			"no MachineClass":          {machine("worker-a"), nil, b.secret(), "MachineClass"},
			"no Secret":                {machine("worker-a"), ours, nil, "Secret"},
			"another's class":          {machine("worker-a"), wrong, b.secret(), `"AWS"`},
			"an empty provider spec":   {machine("worker-a"), empty, b.secret(), "provider spec"},
		} {
			if method == "ListMachines" && (parts.machine == nil || parts.machine.Name == "") {
				continue
			}

			wantCounts(t, b.counted(func() {
				wantCode(t, ask(t.Context(), parts.machine, parts.class, parts.secret), driver.CodeInvalidArgument, parts.text)
			}), map[string]int{})

			if t.Failed() {
				t.Fatalf("%s with %s", method, name)
			}
		}
	}
}

func TestNilRequestIsRefused(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	errs := map[string]error{}
	_, errs["CreateMachine"] = b.driver.CreateMachine(t.Context(), nil)
	_, errs["DeleteMachine"] = b.driver.DeleteMachine(t.Context(), nil)
	_, errs["GetMachineStatus"] = b.driver.GetMachineStatus(t.Context(), nil)
	_, errs["ListMachines"] = b.driver.ListMachines(t.Context(), nil)
	_, errs["GetVolumeIDs"] = b.driver.GetVolumeIDs(t.Context(), nil)
	_, errs["ObserveMachine"] = b.cloud.Observer().ObserveMachine(t.Context(), nil)
	errs["TagMachine"] = b.cloud.Tagger().TagMachine(t.Context(), nil)

	for method, err := range errs {
		if driver.CodeOf(err) != driver.CodeInvalidArgument {
			t.Errorf("%s answered %v", method, err)
		}
	}
}

func TestInitializeMachineIsUnimplemented(t *testing.T) {
	t.Parallel()

	for _, request := range []*driver.InitializeMachineRequest{nil, {}} {
		_, err := alicloud.NewAlicloudPlugin(nil).InitializeMachine(t.Context(), request)
		wantCode(t, err, driver.CodeUnimplemented)
	}
}

func TestPluginWithoutSPISaysSo(t *testing.T) {
	t.Parallel()

	plugin := alicloud.NewAlicloudPlugin(nil)
	_, err := plugin.ListMachines(t.Context(), &driver.ListMachinesRequest{MachineClass: machineClass(t, nil), Secret: &corev1.Secret{}})
	wantCode(t, err, driver.CodeFailedPrecondition, "SPI")

	var none *alicloud.MachinePlugin

	_, err = none.NewECSClient(nil, region)
	wantCode(t, err, driver.CodeFailedPrecondition, "SPI")
}

func TestSecretOfOlderMachineControllersIsUnderstood(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	secret := &corev1.Secret{Data: map[string][]byte{
		"alicloudAccessKeyID":     []byte(b.key.ID + "\n"),
		"alicloudAccessKeySecret": []byte(b.key.Secret + "\n"),
	}}

	if _, err := b.driver.ListMachines(t.Context(), &driver.ListMachinesRequest{MachineClass: machineClass(t, nil), Secret: secret}); err != nil {
		t.Error(err)
	}
}

func TestEachSecretSignsItsOwnCalls(t *testing.T) {
	t.Parallel()

	options := settled()
	options.AccessKeys = []ecsemulator.AccessKey{
		{ID: "LTAI5tFirstKey00000001", Secret: "first-secret-of-a-test", AccountID: "1000000000000001"},
		{ID: "LTAI5tOtherKey00000001", Secret: "other-secret-of-a-test", AccountID: "1000000000000002"},
	}
	b := newBench(t, options)
	b.create(t, b.createRequest(t, "worker-a"))

	secret := b.secret()
	secret.Data[alicloud.SecretAccessKeyID] = []byte(options.AccessKeys[1].ID)
	secret.Data[alicloud.SecretAccessKeySecret] = []byte(options.AccessKeys[1].Secret)

	listed, err := b.driver.ListMachines(t.Context(), &driver.ListMachinesRequest{MachineClass: machineClass(t, nil), Secret: secret})
	if err != nil || len(listed.MachineList) != 0 {
		t.Errorf("another account lists %v, %v", listed, err)
	}

	secret.Data[alicloud.SecretAccessKeySecret] = []byte("no-secret-of-anybody")
	_, err = b.driver.ListMachines(t.Context(), &driver.ListMachinesRequest{MachineClass: machineClass(t, nil), Secret: secret})
	wantCode(t, err, driver.CodeUnauthenticated, "SignatureDoesNotMatch")
}
