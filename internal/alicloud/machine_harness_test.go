package alicloud_test

import (
	"encoding/json"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver/v1alpha1"
)

// The tags of the class's machines, and the reserved one that holds their name.
const (
	clusterTag = "kubernetes.io/cluster/shoot--acme--prod"
	roleTag    = "kubernetes.io/role/worker/shoot--acme--prod"
	nameTag    = driver.ReservedTagPrefix + "name"
)

func ownership() map[string]string { return map[string]string{clusterTag: "1", roleTag: "1"} }

// tagged returns the ownership tags and the name tag.
func tagged(name string) map[string]string {
	tags := ownership()
	tags[nameTag] = name

	return tags
}

// providerSpec returns a provider spec that the emulator can launch, changed by edit.
func providerSpec(t *testing.T, edit func(map[string]any)) []byte {
	t.Helper()

	spec := map[string]any{
		"apiVersion":         "mcm.gardener.cloud/v1alpha1",
		"imageID":            "m-acme2",
		"instanceType":       "ecs.g7.xlarge",
		"region":             region,
		"zoneID":             "cn-hangzhou-h",
		"securityGroupID":    "sg-1",
		"vSwitchID":          "vsw-a",
		"systemDisk":         map[string]any{"category": "cloud_essd", "size": 50},
		"instanceChargeType": "PostPaid",
		"internetChargeType": "PayByTraffic",
		"spotStrategy":       "NoSpot",
		"keyPairName":        "acme-key",
		"tags":               ownership(),
	}
	if edit != nil {
		edit(spec)
	}

	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}

	return text
}

func machineClass(t *testing.T, edit func(map[string]any)) *v1alpha1.MachineClass {
	t.Helper()

	return &v1alpha1.MachineClass{
		ObjectMeta:   metav1.ObjectMeta{Name: "worker-class"},
		Provider:     alicloud.ProviderAlicloud,
		ProviderSpec: runtime.RawExtension{Raw: providerSpec(t, edit)},
	}
}

func machine(name string) *v1alpha1.Machine {
	return &v1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + name)}}
}

func (b *bench) createRequest(t *testing.T, name string) *driver.CreateMachineRequest {
	t.Helper()

	return &driver.CreateMachineRequest{Machine: machine(name), MachineClass: machineClass(t, nil), Secret: b.secret()}
}

func (b *bench) create(t *testing.T, request *driver.CreateMachineRequest) *driver.CreateMachineResponse {
	t.Helper()

	response, err := b.driver.CreateMachine(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}

	return response
}

func (b *bench) statusRequest(t *testing.T, name, providerID string) *driver.GetMachineStatusRequest {
	t.Helper()

	request := &driver.GetMachineStatusRequest{Machine: machine(name), MachineClass: machineClass(t, nil), Secret: b.secret()}
	request.Machine.Spec.ProviderID = providerID

	return request
}

func (b *bench) deleteRequest(t *testing.T, name, providerID string) *driver.DeleteMachineRequest {
	t.Helper()

	request := &driver.DeleteMachineRequest{Machine: machine(name), MachineClass: machineClass(t, nil), Secret: b.secret()}
	request.Machine.Spec.ProviderID = providerID

	return request
}

// shardOf is the part of an owner's machines that a name falls into: the FNV-1a hash
// modulo 32, in two digits. Machines carry it, so it must never change.
func shardOf(name string) string {
	hash := uint32(2166136261)
	for _, letter := range []byte(name) {
		hash = (hash ^ uint32(letter)) * 16777619
	}

	return fmt.Sprintf("%02d", hash%32)
}
