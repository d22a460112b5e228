package provider

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

var _ function.Function = volumeIDsFunction{}

// volumeIDsFunction finds the cloud's disks among persistent volumes.
type volumeIDsFunction struct{ cloud func() (Cloud, error) }

// Metadata implements function.Function.
func (volumeIDsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "volume_ids"
}

// Definition implements function.Function.
func (volumeIDsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Find the disks of persistent volumes",
		MarkdownDescription: "Returns the disk IDs of those Kubernetes persistent volumes that are Alibaba Cloud disks: volumes of the CSI driver `diskplugin.csi.alibabacloud.com`, " +
			"and FlexVolumes with the option `volumeId`. Volumes of anything else are skipped.",
		Parameters: []function.Parameter{function.DynamicParameter{
			Name: "specs",
			MarkdownDescription: "A list of what `yamldecode` or `jsondecode` returns for a PersistentVolume or for its `spec`. " +
				"Anything in it but an object is an error.",
		}},
		Return: function.ListReturn{ElementType: types.StringType},
	}
}

// Run implements function.Function.
func (f volumeIDsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var volumes types.Dynamic

	if resp.Error = req.Arguments.Get(ctx, &volumes); resp.Error != nil {
		return
	}

	specs, err := volumeSpecs(volumes.UnderlyingValue())
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())

		return
	}

	cloud, err := f.cloud()
	if err != nil {
		resp.Error = function.NewFuncError(err.Error())

		return
	}

	found, err := cloud.Driver().GetVolumeIDs(ctx, &driver.GetVolumeIDsRequest{PVSpecs: specs})
	if err != nil {
		resp.Error = function.NewFuncError(err.Error())

		return
	}

	resp.Error = resp.Result.Set(ctx, found.VolumeIDs)
}

// volumeSpecs reads the elements of a list, tuple or set.
func volumeSpecs(volumes attr.Value) ([]*corev1.PersistentVolumeSpec, error) {
	var elements []attr.Value

	switch volumes := volumes.(type) {
	case basetypes.TupleValue:
		elements = volumes.Elements()
	case basetypes.ListValue:
		elements = volumes.Elements()
	case basetypes.SetValue:
		elements = volumes.Elements()
	default:
		return nil, fmt.Errorf("want a list of PersistentVolume specs, such as [yamldecode(file(\"volume.yaml\")).spec]")
	}

	specs := make([]*corev1.PersistentVolumeSpec, 0, len(elements))

	for i, element := range elements {
		spec, err := volumeSpec(element)
		if err != nil {
			return nil, fmt.Errorf("element %d is not the spec of a PersistentVolume: %w", i, err)
		}

		specs = append(specs, spec)
	}

	return specs, nil
}

// volumeSpec reads a volume's spec, or the spec in a whole volume.
func volumeSpec(volume attr.Value) (*corev1.PersistentVolumeSpec, error) {
	if dynamic, ok := volume.(basetypes.DynamicValue); ok {
		volume = dynamic.UnderlyingValue()
	}

	var attributes map[string]attr.Value

	switch volume := volume.(type) {
	case basetypes.ObjectValue:
		attributes = volume.Attributes()
	case basetypes.MapValue:
		attributes = volume.Elements()
	}

	if volume.IsNull() || attributes == nil {
		return nil, fmt.Errorf("want an object, as yamldecode returns it")
	}

	if spec, whole := attributes["spec"]; whole {
		volume = spec
	}

	text, err := canonicalJSON(volume)
	if err != nil {
		return nil, err
	}

	var spec corev1.PersistentVolumeSpec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		return nil, err
	}

	return &spec, nil
}
