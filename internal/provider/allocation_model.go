package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	k8stypes "k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

type allocationModel struct {
	Name              types.String   `tfsdk:"name"`
	Class             types.Object   `tfsdk:"class"`
	UserDataWO        types.String   `tfsdk:"user_data_wo"`
	UserDataWOBase64  types.String   `tfsdk:"user_data_wo_base64"`
	UserDataWOVersion wholeNumber    `tfsdk:"user_data_wo_version"`
	UserDataOnChange  types.String   `tfsdk:"user_data_on_change"`
	PasswordWO        types.String   `tfsdk:"password_wo"`
	PrivateIP         types.String   `tfsdk:"private_ip"`
	HostName          types.String   `tfsdk:"host_name"`
	Tags              types.Map      `tfsdk:"tags"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
	WaitUntil         types.String   `tfsdk:"wait_until"`
	OnTimeout         types.String   `tfsdk:"on_timeout"`
	GracefulRelease   types.String   `tfsdk:"graceful_release"`
	PowerState        types.String   `tfsdk:"power_state"`

	DeletionProtection   types.Bool   `tfsdk:"deletion_protection"`
	InstanceTypeOnChange types.String `tfsdk:"instance_type_on_change"`
	RetainDisksOnRelease types.Bool   `tfsdk:"retain_disks_on_release"`

	ID                 types.String `tfsdk:"id"`
	ProviderID         types.String `tfsdk:"provider_id"`
	Locator            types.String `tfsdk:"locator"`
	ProviderResourceID types.String `tfsdk:"provider_resource_id"`
	NodeName           types.String `tfsdk:"node_name"`
	InstanceType       types.String `tfsdk:"instance_type"`
	Zone               types.String `tfsdk:"zone"`
	Image              types.String `tfsdk:"image"`
	Offering           types.String `tfsdk:"offering"`
	Charge             types.String `tfsdk:"charge"`
	PrivateIPs         types.List   `tfsdk:"private_ips"`
	PublicIP           types.String `tfsdk:"public_ip"`
	Phase              types.String `tfsdk:"phase"`
	LockReasons        types.List   `tfsdk:"lock_reasons"`
	OwnedResources     types.List   `tfsdk:"owned_resources"`
	Leftovers          types.List   `tfsdk:"leftovers"`
	Claim              types.String `tfsdk:"claim"`
	CreatedAt          types.String `tfsdk:"created_at"`
}

// classModel returns the class the allocation is of; false where it is not known.
func (m allocationModel) classModel() (classModel, bool) {
	if m.Class.IsNull() || m.Class.IsUnknown() {
		return classModel{}, false
	}

	attributes := m.Class.Attributes()

	name, nameOK := attributes["name"].(types.String)
	uid, uidOK := attributes["uid"].(types.String)
	alicloud, alicloudOK := attributes[alicloudClassKey].(types.Object)

	return classModel{Name: name, UID: uid, Alicloud: alicloud}, nameOK && uidOK && alicloudOK
}

// classPart returns the cloud's part of the class; false where it is not known.
func (m allocationModel) classPart() (types.Object, bool) {
	class, ok := m.classModel()
	if !ok || class.Alicloud.IsNull() || class.Alicloud.IsUnknown() {
		return types.ObjectNull(nil), false
	}

	return class.Alicloud, true
}

// identity names the allocation; false where a part of it is not known.
func (m allocationModel) identity(owner string) (lifecycle.Identity, bool) {
	class, ok := m.classModel()
	if !ok || class.UID.ValueString() == "" || m.Name.ValueString() == "" {
		return lifecycle.Identity{}, false
	}

	return lifecycle.Identity{
		Owner:    owner,
		ClassUID: k8stypes.UID(class.UID.ValueString()),
		Name:     m.Name.ValueString(),
	}, true
}

// fingerprint is a hash of every input whose change replaces the machine. It is
// written as a tag, which is public, so of the first-boot data it takes the
// version alone.
func (m allocationModel) fingerprint() (string, error) {
	part, ok := m.classPart()
	if !ok {
		return "", fmt.Errorf("the class is not known")
	}

	sum := sha256.New()

	for _, name := range alicloudImmutable() {
		value, err := launchPart(part, name)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}

		// What is left to its default is left out, so that an input that a later version
		// adds does not change the fingerprints of machines that do without it.
		if value == nil {
			continue
		}

		text, err := json.Marshal(value)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}

		fmt.Fprintf(sum, "%s=%s\n", name, text)
	}

	fmt.Fprintf(sum, "user_data_wo_version=%s\n", m.UserDataWOVersion)

	if name := m.HostName.ValueString(); name != "" {
		fmt.Fprintf(sum, "host_name=%s\n", name)
	}

	if address := m.PrivateIP.ValueString(); address != "" {
		fmt.Fprintf(sum, "private_ip=%s\n", address)
	}

	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// observed takes over what a look tells. Inputs are left as they are.
func (m *allocationModel) observed(machine *driver.ObservedMachine) {
	m.ID = types.StringValue(machine.ProviderID)
	m.ProviderID = types.StringValue(machine.ProviderID)
	m.ProviderResourceID = types.StringValue(machine.ResourceID)
	m.NodeName = stringOrNull(machine.NodeName)
	m.InstanceType = stringOrNull(machine.InstanceType)
	m.Zone = stringOrNull(machine.Zone)
	m.Image = stringOrNull(machine.Image)
	m.Charge = stringOrNull(machine.CapacityType)
	// One that was adopted or imported was not launched from here.
	if m.Offering.ValueString() == "" {
		m.Offering = stringOrNull(machine.OfferingID)
	}

	m.PrivateIPs = stringList(machine.PrivateIPs)
	m.PublicIP = stringOrNull(machine.PublicIP)
	m.Phase = types.StringValue(string(machine.Phase))
	m.LockReasons = stringList(machine.LockReasons)

	if machine.Releasing {
		m.Phase = types.StringValue(string(driver.MachinePhaseReleasing))
	}

	m.CreatedAt = types.StringNull()

	if !machine.CreatedAt.IsZero() {
		m.CreatedAt = types.StringValue(machine.CreatedAt.UTC().Format(time.RFC3339))
	}
}

// settle makes what is still unknown null, so that the object can be stored
// half-known.
func (m *allocationModel) settle() {
	for _, field := range []*types.String{
		&m.ID, &m.ProviderID, &m.Locator, &m.ProviderResourceID, &m.NodeName, &m.InstanceType, &m.Zone,
		&m.Image, &m.Offering, &m.Charge, &m.PublicIP, &m.Phase, &m.Claim, &m.CreatedAt,
	} {
		if field.IsUnknown() {
			*field = types.StringNull()
		}
	}

	if m.PrivateIPs.IsUnknown() {
		m.PrivateIPs = stringList(nil)
	}

	if m.LockReasons.IsUnknown() {
		m.LockReasons = stringList(nil)
	}

	if m.Leftovers.IsUnknown() {
		m.Leftovers = stringList(nil)
	}

	if m.OwnedResources.IsUnknown() || m.OwnedResources.IsNull() {
		m.OwnedResources = ownedResourcesList(nil)
	}
}

func ownedResourcesList(owned []v1alpha3.ProviderOwnedResource) types.List {
	objectType := types.ObjectType{AttrTypes: ownedResourceTypes()}
	elements := make([]attr.Value, 0, len(owned))

	for _, resource := range owned {
		elements = append(elements, types.ObjectValueMust(objectType.AttrTypes, map[string]attr.Value{
			"kind":          types.StringValue(string(resource.Kind)),
			"id":            types.StringValue(resource.ID),
			"region":        types.StringValue(resource.Region),
			"outlives_host": types.BoolValue(resource.OutlivesHost),
		}))
	}

	return types.ListValueMust(objectType, elements)
}

// ownedResources returns what the state says the allocation owns.
func (m allocationModel) ownedResources() []v1alpha3.ProviderOwnedResource {
	var owned []v1alpha3.ProviderOwnedResource

	for _, element := range m.OwnedResources.Elements() {
		object, ok := element.(types.Object)
		if !ok {
			continue
		}

		text := func(name string) string {
			value, _ := object.Attributes()[name].(types.String)

			return value.ValueString()
		}

		outlives, _ := object.Attributes()["outlives_host"].(types.Bool)

		owned = append(owned, v1alpha3.ProviderOwnedResource{
			Kind:         v1alpha3.OwnedResourceKind(text("kind")),
			ID:           text("id"),
			Region:       text("region"),
			OutlivesHost: outlives.ValueBool(),
		})
	}

	return owned
}
