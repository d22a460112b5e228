package machineops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const secret = "MARKER-7f3a"

// fullRequest is a request with everything in it that a callback could change.
func fullRequest(kind unboundedv1alpha3.OperationKind) machineops.OperationRequest {
	return machineops.OperationRequest{
		Operation:       kind,
		OperationUID:    "operation-1",
		ProviderRef:     &unboundedv1alpha3.ProviderMachineSnapshot{Name: "host"},
		Parameters:      map[string]string{"owner": "team"},
		ReplaceUserData: secret,
		Auth:            &machineops.OperationAuth{Mode: "keys", SecretData: map[string]string{"key": secret}},
		Allocation: &machineops.AllocationRequest{
			Name:           "worker",
			ProviderConfig: machineops.ProviderConfig{Data: map[string]string{"class": "{}"}},
			Offering: unboundedv1alpha3.MachineClassOffering{
				ID:        "large",
				Resources: map[string]resource.Quantity{"cpu": resource.MustParse("4")},
				Price:     &unboundedv1alpha3.Price{PerHour: resource.MustParse("1.5"), Currency: "CNY"},
			},
			UserData:       secret,
			OwnedResources: []unboundedv1alpha3.ProviderOwnedResource{{Kind: "Instance", ID: "i-1"}},
		},
	}
}

// spoil writes into everything that a request refers to.
func spoil(request machineops.OperationRequest) {
	request.Parameters["owner"] = "other"

	request.ProviderRef.Name = "other"
	if request.Auth != nil {
		request.Auth.Mode = "other"
		request.Auth.SecretData["key"] = "other"
	}

	if request.Allocation == nil {
		return
	}

	request.Allocation.Name = "other"
	if request.Allocation.ProviderConfig.Data != nil {
		request.Allocation.ProviderConfig.Data["class"] = "other"
	}

	request.Allocation.Offering.Resources["cpu"] = resource.MustParse("8")
	request.Allocation.Offering.Price.Currency = "USD"
	request.Allocation.OwnedResources[0].ID = "i-2"
}

// recording registers kind as a long-running operation, with capacity where the
// kind needs it, whose callbacks hand their request to see.
func recording(
	t *testing.T, kind unboundedv1alpha3.OperationKind, see func(string, machineops.OperationRequest),
) *machineops.Operation {
	t.Helper()

	seeing := func(kind unboundedv1alpha3.OperationKind) machineops.ProviderOption {
		return machineops.WithLongRunningOperation(
			kind,
			func(_ context.Context, r machineops.OperationRequest) (machineops.BeginResult, error) {
				see("begin", r)

				return machineops.BeginResult{}, nil
			},
			func(
				_ context.Context, r machineops.OperationRequest, _ machineops.ProviderOperation,
			) (machineops.PollResult, error) {
				see("poll", r)

				return machineops.PollResult{}, nil
			},
			machineops.WithCleanup(
				func(_ context.Context, r machineops.OperationRequest, _ machineops.OperationResult) error {
					see("cleanup", r)

					return nil
				},
			),
		)
	}

	return operation(t, register(
		t, machineops.WithCapacity(resolveClass, planAllocation), seeing(allocate), seeing(release), seeing(reboot),
	), kind)
}

// callAll begins, polls and cleans up.
func callAll(ctx context.Context, t *testing.T, op *machineops.Operation, request machineops.OperationRequest) {
	t.Helper()

	if _, err := op.Begin(ctx, request); err != nil {
		t.Errorf("Begin: %v", err)
	}

	if _, err := op.Poll(ctx, request, machineops.ProviderOperation{}); err != nil {
		t.Errorf("Poll: %v", err)
	}

	if err := op.Cleanup(ctx, request, machineops.OperationResult{}); err != nil {
		t.Errorf("Cleanup: %v", err)
	}
}

func TestProviderConfigAndUserDataReachOnlyTheBeginningOfHostAllocate(t *testing.T) {
	t.Parallel()

	for _, kind := range []unboundedv1alpha3.OperationKind{allocate, release} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()

			op := recording(t, kind, func(callback string, request machineops.OperationRequest) {
				supplied := kind == allocate && callback == "begin"

				if got := request.Allocation.UserData == secret; got != supplied {
					t.Errorf("%s: user data supplied: %v, want %v", callback, got, supplied)
				}

				if !supplied && request.Allocation.UserData != "" {
					t.Errorf("%s: user data is not empty", callback)
				}

				if got := request.Allocation.ProviderConfig.Data != nil; got != supplied {
					t.Errorf("%s: provider config supplied: %v, want %v", callback, got, supplied)
				}

				if request.Allocation.Name != "worker" || len(request.Allocation.OwnedResources) != 1 {
					t.Errorf("%s: the rest of the allocation is lost", callback)
				}
			})
			callAll(t.Context(), t, op, fullRequest(kind))
		})
	}
}

func TestHostAllocateBeginsWithTheWholeRequest(t *testing.T) {
	t.Parallel()

	begun := false
	op := recording(t, allocate, func(callback string, request machineops.OperationRequest) {
		if callback != "begin" {
			return
		}

		begun = true

		if !reflect.DeepEqual(request, fullRequest(allocate)) {
			t.Errorf("the callback got another request than its caller gave: %+v", request)
		}
	})
	callAll(t.Context(), t, op, fullRequest(allocate))

	if !begun {
		t.Errorf("the callback was not reached")
	}
}

func TestEmptyRequestStaysEmpty(t *testing.T) {
	t.Parallel()

	op := recording(t, reboot, func(callback string, request machineops.OperationRequest) {
		if !reflect.DeepEqual(request, machineops.OperationRequest{}) {
			t.Errorf("%s got %+v for an empty request", callback, request)
		}
	})
	callAll(t.Context(), t, op, machineops.OperationRequest{})
}

func TestAllocationIsNilForEveryOtherKind(t *testing.T) {
	t.Parallel()

	op := recording(t, reboot, func(callback string, request machineops.OperationRequest) {
		if request.Allocation != nil {
			t.Errorf("%s of HostReboot was given an allocation", callback)
		}
	})
	callAll(t.Context(), t, op, fullRequest(reboot))

	immediately := registerOne(t, reboot, machineops.WithImmediateOperation(reboot, func(
		_ context.Context, request machineops.OperationRequest,
	) (machineops.OperationResult, error) {
		if request.Allocation != nil {
			t.Errorf("execute of HostReboot was given an allocation")
		}

		return machineops.OperationResult{}, nil
	}))
	if _, err := immediately.Execute(t.Context(), fullRequest(reboot)); err != nil {
		t.Errorf("Execute: %v", err)
	}
}

func TestCallbacksCannotChangeTheCallersRequest(t *testing.T) {
	t.Parallel()

	for _, kind := range []unboundedv1alpha3.OperationKind{allocate, release, reboot} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()

			request := fullRequest(kind)
			op := recording(t, kind, func(_ string, given machineops.OperationRequest) { spoil(given) })
			callAll(t.Context(), t, op, request)

			if want := fullRequest(kind); !reflect.DeepEqual(request, want) {
				t.Errorf("a callback changed its caller's request")
			}
		})
	}
}

func TestCapacityCallbacksCannotChangeTheCallersRequest(t *testing.T) {
	t.Parallel()

	provider := register(
		t,
		machineops.WithCapacity(
			func(_ context.Context, r machineops.ClassRequest) (machineops.ClassResolution, error) {
				r.ProviderConfig.Data["class"] = "other"
				r.Auth.SecretData["key"] = "other"

				return machineops.ClassResolution{}, nil
			},
			func(_ context.Context, r machineops.AllocationPlanRequest) (machineops.AllocationPlan, error) {
				r.ProviderConfig.Data["class"] = "other"
				r.Offering.Resources["cpu"] = resource.MustParse("8")

				return machineops.AllocationPlan{}, nil
			},
		),
		longRunning(allocate), longRunning(release),
	)
	capacity, _ := provider.Capacity()
	request := fullRequest(allocate)

	if _, err := capacity.ResolveClass(t.Context(), machineops.ClassRequest{
		ProviderConfig: request.Allocation.ProviderConfig, Auth: request.Auth,
	}); err != nil {
		t.Errorf("ResolveClass: %v", err)
	}

	if _, err := capacity.PlanAllocation(t.Context(), machineops.AllocationPlanRequest{
		ProviderConfig: request.Allocation.ProviderConfig, Offering: request.Allocation.Offering,
	}); err != nil {
		t.Errorf("PlanAllocation: %v", err)
	}

	if !reflect.DeepEqual(request, fullRequest(allocate)) {
		t.Errorf("a callback changed its caller's request")
	}
}

func TestCleanupCannotChangeTheCallersResult(t *testing.T) {
	t.Parallel()

	op := registerOne(t, reboot, longRunning(reboot, machineops.WithCleanup(
		func(_ context.Context, _ machineops.OperationRequest, result machineops.OperationResult) error {
			result.Allocation.OwnedResources[0].ID = "other"
			result.Allocation.Zone = "other"

			return nil
		},
	)))
	result := machineops.OperationResult{Allocation: &machineops.AllocationResult{
		Zone:           "a",
		OwnedResources: []unboundedv1alpha3.ProviderOwnedResource{{ID: "i-1"}},
	}}

	if err := op.Cleanup(t.Context(), machineops.OperationRequest{}, result); err != nil {
		t.Fatalf("Cleanup: %v", err)
	}

	if result.Allocation.OwnedResources[0].ID != "i-1" || result.Allocation.Zone != "a" {
		t.Errorf("the callback changed its caller's result")
	}
}

func TestRequestsArePrintedWithoutTheirSecrets(t *testing.T) {
	t.Parallel()

	request := fullRequest(allocate)

	for name, value := range map[string]any{
		"operation request":            request,
		"pointer to operation request": &request,
		"allocation request":           *request.Allocation,
		"pointer to allocation":        request.Allocation,
		"auth":                         *request.Auth,
		"pointer to auth":              request.Auth,
		"class request":                machineops.ClassRequest{ClassName: "worker", Auth: request.Auth},
		"slice of requests":            []machineops.OperationRequest{request},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t"} {
				text := fmt.Sprintf(format, value)
				if strings.Contains(text, secret) || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", secret)) {
					t.Errorf("%s prints the secret: %s", format, text)
				}
			}

			encoded, err := json.Marshal(value)
			if err != nil {
				t.Fatalf("encode: %v", err)
			}

			if strings.Contains(string(encoded), secret) {
				t.Errorf("the JSON form holds the secret: %s", encoded)
			}
		})
	}
}

func TestPrintedRequestStillSaysWhatItIs(t *testing.T) {
	t.Parallel()

	text := fmt.Sprintf("%+v", fullRequest(allocate))
	for _, want := range []string{"HostAllocate", "operation-1", "owner:team", "(redacted)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

func TestRequiredSecretValue(t *testing.T) {
	t.Parallel()

	auth := &machineops.OperationAuth{SecretData: map[string]string{"key": secret, "blank": ""}}

	if value, err := auth.RequiredSecretValue("key"); err != nil || value != secret {
		t.Errorf("RequiredSecretValue(key) = %v, %v", value, err)
	}

	for name, test := range map[string]struct {
		auth *machineops.OperationAuth
		key  string
	}{
		"a missing value":   {auth, "other"},
		"an empty value":    {auth, "blank"},
		"no secret data":    {&machineops.OperationAuth{}, "key"},
		"no authentication": {nil, "key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			value, err := test.auth.RequiredSecretValue(test.key)
			if err == nil || value != "" {
				t.Fatalf("RequiredSecretValue(%s) = %q, %v, want an error", test.key, value, err)
			}

			if !strings.Contains(err.Error(), test.key) || strings.Contains(err.Error(), secret) {
				t.Errorf("error %q must name the key and no value", err)
			}
		})
	}
}
