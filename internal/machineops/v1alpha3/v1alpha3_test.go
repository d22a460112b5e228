package v1alpha3_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func fullOffering() *v1alpha3.MachineClassOffering {
	return &v1alpha3.MachineClassOffering{
		ID:           "large-a",
		InstanceType: "large",
		Region:       "north",
		Zone:         "a",
		Network:      "net",
		CapacityType: v1alpha3.CapacityTypeSpot,
		Availability: v1alpha3.AvailabilityLow,
		Resources:    map[string]resource.Quantity{"cpu": resource.MustParse("4")},
		Architecture: "arm64",
		Price:        &v1alpha3.Price{PerHour: resource.MustParse("1.5"), Currency: "CNY"},
		ValidUntil:   metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
	}
}

func TestCopyOfAnOfferingIsEqualAndSharesNothing(t *testing.T) {
	t.Parallel()

	original := fullOffering()
	copied := original.DeepCopy()

	if !reflect.DeepEqual(copied, original) {
		t.Fatalf("the copy is %+v, want %+v", copied, original)
	}

	copied.Resources["cpu"] = resource.MustParse("8")
	copied.Resources["memory"] = resource.MustParse("1Gi")
	copied.Price.Currency = "USD"
	copied.Price.PerHour.Add(resource.MustParse("1"))

	if !reflect.DeepEqual(original, fullOffering()) {
		t.Errorf("changing the copy changed the original")
	}
}

func TestCopyOfAnEmptyOfferingIsEmpty(t *testing.T) {
	t.Parallel()

	if copied := new(v1alpha3.MachineClassOffering).DeepCopy(); !reflect.DeepEqual(
		copied, new(v1alpha3.MachineClassOffering)) {
		t.Errorf("the copy is %+v", copied)
	}

	if copied := (*v1alpha3.MachineClassOffering)(nil).DeepCopy(); copied != nil {
		t.Errorf("the copy of nil is %+v", copied)
	}
}

func TestOperationKindsListsEachKindOnceAndCannotBeChanged(t *testing.T) {
	t.Parallel()

	kinds := v1alpha3.OperationKinds()
	seen := map[v1alpha3.OperationKind]bool{}

	for _, kind := range kinds {
		if kind == "" || seen[kind] {
			t.Errorf("kind %q is empty or listed twice", kind)
		}

		seen[kind] = true
	}

	if len(kinds) != 8 {
		t.Errorf("%d kinds are listed, want 8", len(kinds))
	}

	kinds[0] = "Other"

	if v1alpha3.OperationKinds()[0] == "Other" {
		t.Errorf("changing the list changed it for everybody")
	}
}

func TestStoredFormOfOwnedResourcesAndResultsIsStable(t *testing.T) {
	t.Parallel()

	result := v1alpha3.MachineOperationAllocationResult{
		ProviderResourceID: "h-1",
		InstanceType:       "large",
		Zone:               "a",
		Image:              "image",
		OwnedResources: []v1alpha3.ProviderOwnedResource{
			{Kind: v1alpha3.OwnedResourceInstance, ID: "h-1", Region: "north"},
			{Kind: v1alpha3.OwnedResourceDisk, ID: "d-1", Region: "north", OutlivesHost: true},
		},
	}

	// What an earlier version of the provider has stored must be read as it was meant.
	const stored = `{"providerResourceID":"h-1","instanceType":"large","zone":"a","image":"image","ownedResources":[` +
		`{"kind":"Instance","id":"h-1","region":"north"},` +
		`{"kind":"Disk","id":"d-1","region":"north","outlives_host":true}]}`

	encoded, err := json.Marshal(result)
	if err != nil || string(encoded) != stored {
		t.Errorf("stored is %s, %v, want %s", encoded, err, stored)
	}

	var decoded v1alpha3.MachineOperationAllocationResult
	if err := json.Unmarshal([]byte(stored), &decoded); err != nil || !reflect.DeepEqual(decoded, result) {
		t.Errorf("read is %+v, %v, want %+v", decoded, err, result)
	}
}
