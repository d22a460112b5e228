package alicloud

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

const (
	// diskCSIDriver is the CSI driver of Alibaba Cloud disks.
	diskCSIDriver = "diskplugin.csi.alibabacloud.com"
	// flexVolumeID is the FlexVolume option that holds a disk's ID.
	flexVolumeID = "volumeId"
)

// GetVolumeIDs returns the disk IDs of those volumes that are Alibaba Cloud disks:
// FlexVolumes with the option volumeId, and volumes of the CSI driver
// diskplugin.csi.alibabacloud.com. Others are left out. It makes no call.
func (plugin *MachinePlugin) GetVolumeIDs(_ context.Context, req *driver.GetVolumeIDsRequest) (*driver.GetVolumeIDsResponse, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	ids := make([]string, 0, len(req.PVSpecs))

	for _, spec := range req.PVSpecs {
		if id := volumeID(spec); id != "" {
			ids = append(ids, id)
		}
	}

	return &driver.GetVolumeIDsResponse{VolumeIDs: ids}, nil
}

func volumeID(spec *corev1.PersistentVolumeSpec) string {
	switch {
	case spec == nil:
		return ""
	case spec.FlexVolume != nil:
		return spec.FlexVolume.Options[flexVolumeID]
	case spec.CSI != nil && spec.CSI.Driver == diskCSIDriver:
		return spec.CSI.VolumeHandle
	default:
		return ""
	}
}

// InitializeMachine is not implemented: the error is of code CodeUnimplemented.
func (plugin *MachinePlugin) InitializeMachine(_ context.Context, _ *driver.InitializeMachineRequest) (*driver.InitializeMachineResponse, error) {
	return nil, driver.NewError(driver.CodeUnimplemented, "%s machines need no initialization", ProviderAlicloud)
}
