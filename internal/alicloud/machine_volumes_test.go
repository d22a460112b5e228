package alicloud_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

func TestGetVolumeIDsNamesAlibabaCloudDisksOnly(t *testing.T) {
	t.Parallel()

	flex := func(options map[string]string) *corev1.PersistentVolumeSpec {
		return &corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{
			FlexVolume: &corev1.FlexPersistentVolumeSource{Driver: "alicloud/disk", Options: options},
		}}
	}
	csi := func(name, handle string) *corev1.PersistentVolumeSpec {
		return &corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{
			CSI: &corev1.CSIPersistentVolumeSource{Driver: name, VolumeHandle: handle},
		}}
	}

	specs := []*corev1.PersistentVolumeSpec{
		flex(map[string]string{"volumeId": "d-flex"}),
		nil,
		flex(nil),
		flex(map[string]string{"volumeId": ""}),
		flex(map[string]string{"server": "nas"}),
		csi("diskplugin.csi.alibabacloud.com", "d-csi"),
		csi("diskplugin.csi.alibabacloud.com", ""),
		csi("nasplugin.csi.alibabacloud.com", "nas-1"),
		{},
		{PersistentVolumeSource: corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs"}}},
	}

	response, err := alicloud.NewAlicloudPlugin(nil).GetVolumeIDs(t.Context(), &driver.GetVolumeIDsRequest{PVSpecs: specs})
	if err != nil {
		t.Fatal(err)
	}

	if want := []string{"d-flex", "d-csi"}; !slices.Equal(response.VolumeIDs, want) {
		t.Errorf("the volume IDs are %v, want %v", response.VolumeIDs, want)
	}

	if response, err = alicloud.NewAlicloudPlugin(nil).GetVolumeIDs(t.Context(), &driver.GetVolumeIDsRequest{}); err != nil || len(response.VolumeIDs) != 0 {
		t.Errorf("no volumes have the IDs %v, %v", response, err)
	}
}
