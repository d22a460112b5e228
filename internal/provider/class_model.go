package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

type classModel struct {
	Name     types.String `tfsdk:"name"`
	UID      types.String `tfsdk:"uid"`
	Alicloud types.Object `tfsdk:"alicloud"`

	ReleaseLeftovers types.Bool `tfsdk:"release_leftovers"`
}

// class returns the class as the lifecycle knows it.
func (m classModel) class() (lifecycle.Class, error) {
	text, err := canonicalJSON(m.Alicloud)
	if err != nil {
		return lifecycle.Class{}, fmt.Errorf("%s: %w", alicloudClassKey, err)
	}

	return lifecycle.Class{
		Name:           m.Name.ValueString(),
		UID:            m.UID.ValueString(),
		ZonesInOrder:   alicloudZonesInOrder(m.Alicloud),
		ProviderConfig: machineops.ProviderConfig{Data: map[string]string{alicloudClassKey: text}},
	}, nil
}

// region is where machines of the class run; null or unknown where it is not set.
func (m classModel) region() types.String {
	region, ok := m.Alicloud.Attributes()["region"].(types.String)
	if !ok {
		return types.StringNull()
	}

	return region
}
