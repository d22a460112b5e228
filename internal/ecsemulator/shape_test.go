package ecsemulator_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	ecs7 "github.com/alibabacloud-go/ecs-20140526/v7/client"
	ecs1 "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
	"github.com/aliyun/alibaba-cloud-sdk-go/services/sts"
	"github.com/aliyun/alibaba-cloud-sdk-go/services/vpc"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// The vendor's SDKs are generated from the API's own description: a field that neither knows would be an invention.
func TestAnswersHoldOnlyFieldsOfTheAPI(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(values{
		"Tag.1.Key": "a", "Tag.1.Value": "b", "DataDisk.1.Size": "20", "InternetMaxBandwidthOut": "1", "KeyPairName": "acme-key",
		"DeploymentSetId": "ds-1", "DeploymentSetGroupNo": "2",
	})
	stopped, other := c.run(nil), c.run(nil)
	step(t, server, time.Minute)
	c.ok("StopInstance", values{"InstanceId": stopped})
	step(t, server, time.Minute)
	one, ids, batch := values{"InstanceId": id}, values{"InstanceIds": `["` + id + `"]`}, values{"InstanceId.1": id, "BatchOptimization": "SuccessFirst"}
	for action, row := range map[string]struct {
		own   values
		known []any
	}{
		"RunInstances":           {launch(), []any{&ecs7.RunInstancesResponseBody{}, &ecs1.RunInstancesResponse{}}},
		"DescribeInstances":      {values{"AdditionalAttributes.1": "META_OPTIONS"}, []any{&ecs7.DescribeInstancesResponseBody{}, &ecs1.DescribeInstancesResponse{}}},
		"DescribeInstanceStatus": {nil, []any{&ecs7.DescribeInstanceStatusResponseBody{}, &ecs1.DescribeInstanceStatusResponse{}}},
		"DescribeUserData":       {values{"InstanceId": id}, []any{&ecs7.DescribeUserDataResponseBody{}, &ecs1.DescribeUserDataResponse{}}},
		"DescribeInstanceTypes":  {nil, []any{&ecs7.DescribeInstanceTypesResponseBody{}, &ecs1.DescribeInstanceTypesResponse{}}},
		"DescribeAvailableResource": {
			values{"DestinationResource": "InstanceType"}, []any{&ecs7.DescribeAvailableResourceResponseBody{}, &ecs1.DescribeAvailableResourceResponse{}},
		},
		"DescribeImages":                        {nil, []any{&ecs7.DescribeImagesResponseBody{}, &ecs1.DescribeImagesResponse{}}},
		"DescribeImageFromFamily":               {values{"ImageFamily": "acme-node"}, []any{&ecs7.DescribeImageFromFamilyResponseBody{}, &ecs1.DescribeImageFromFamilyResponse{}}},
		"DescribeSecurityGroups":                {nil, []any{&ecs7.DescribeSecurityGroupsResponseBody{}, &ecs1.DescribeSecurityGroupsResponse{}}},
		"DescribeDeploymentSets":                {nil, []any{&ecs7.DescribeDeploymentSetsResponseBody{}, &ecs1.DescribeDeploymentSetsResponse{}}},
		"DescribeSnapshots":                     {nil, []any{&ecs7.DescribeSnapshotsResponseBody{}, &ecs1.DescribeSnapshotsResponse{}}},
		"DescribeKeyPairs":                      {nil, []any{&ecs7.DescribeKeyPairsResponseBody{}, &ecs1.DescribeKeyPairsResponse{}}},
		"DescribeDisks":                         {nil, []any{&ecs7.DescribeDisksResponseBody{}, &ecs1.DescribeDisksResponse{}}},
		"DescribeZones":                         {nil, []any{&ecs7.DescribeZonesResponseBody{}, &ecs1.DescribeZonesResponse{}}},
		"DescribeRegions":                       {nil, []any{&ecs7.DescribeRegionsResponseBody{}, &ecs1.DescribeRegionsResponse{}}},
		"ListTagResources":                      {values{"ResourceType": "instance", "Tag.1.Key": "a"}, []any{&ecs7.ListTagResourcesResponseBody{}, &ecs1.ListTagResourcesResponse{}}},
		"TagResources":                          {values{"ResourceType": "instance", "ResourceId.1": id, "Tag.1.Key": "c"}, []any{&ecs7.TagResourcesResponseBody{}, &ecs1.TagResourcesResponse{}}},
		"DescribeInstanceAttribute":             {one, []any{&ecs7.DescribeInstanceAttributeResponseBody{}, &ecs1.DescribeInstanceAttributeResponse{}}},
		"DescribeInstanceHistoryEvents":         {nil, []any{&ecs7.DescribeInstanceHistoryEventsResponseBody{}, &ecs1.DescribeInstanceHistoryEventsResponse{}}},
		"DescribeInstanceMaintenanceAttributes": {nil, []any{&ecs7.DescribeInstanceMaintenanceAttributesResponseBody{}, &ecs1.DescribeInstanceMaintenanceAttributesResponse{}}},
		"DescribeInstanceAttachmentAttributes":  {ids, []any{&ecs7.DescribeInstanceAttachmentAttributesResponseBody{}, &ecs1.DescribeInstanceAttachmentAttributesResponse{}}},
		"DescribeInstanceAutoRenewAttribute":    {nil, []any{&ecs7.DescribeInstanceAutoRenewAttributeResponseBody{}, &ecs1.DescribeInstanceAutoRenewAttributeResponse{}}},
		"DescribeInstanceRamRole":               {ids, []any{&ecs7.DescribeInstanceRamRoleResponseBody{}, &ecs1.DescribeInstanceRamRoleResponse{}}},
		"AttachInstanceRamRole":                 {ids.with(values{"RamRoleName": "acme-node-role"}), []any{&ecs7.AttachInstanceRamRoleResponseBody{}, &ecs1.AttachInstanceRamRoleResponse{}}},
		"DetachInstanceRamRole":                 {ids, []any{&ecs7.DetachInstanceRamRoleResponseBody{}, &ecs1.DetachInstanceRamRoleResponse{}}},
		"AttachKeyPair":                         {ids.with(values{"KeyPairName": "acme-key"}), []any{&ecs7.AttachKeyPairResponseBody{}, &ecs1.AttachKeyPairResponse{}}},
		"DetachKeyPair":                         {ids.with(values{"KeyPairName": "acme-key"}), []any{&ecs7.DetachKeyPairResponseBody{}, &ecs1.DetachKeyPairResponse{}}},
		"StartInstances":                        {batch, []any{&ecs7.StartInstancesResponseBody{}, &ecs1.StartInstancesResponse{}}},
		"StopInstances":                         {batch, []any{&ecs7.StopInstancesResponseBody{}, &ecs1.StopInstancesResponse{}}},
		"RebootInstances":                       {batch, []any{&ecs7.RebootInstancesResponseBody{}, &ecs1.RebootInstancesResponse{}}},
		"DescribeNetworkInterfaces":             {nil, []any{&ecs7.DescribeNetworkInterfacesResponseBody{}, &ecs1.DescribeNetworkInterfacesResponse{}}},
		"GetInstanceConsoleOutput":              {one, []any{&ecs7.GetInstanceConsoleOutputResponseBody{}, &ecs1.GetInstanceConsoleOutputResponse{}}},
		"ReplaceSystemDisk":                     {values{"InstanceId": stopped}, []any{&ecs7.ReplaceSystemDiskResponseBody{}, &ecs1.ReplaceSystemDiskResponse{}}},
		"ModifyInstanceChargeType": {
			values{"InstanceIds": `["` + other + `"]`, "Period": "1"}, []any{&ecs7.ModifyInstanceChargeTypeResponseBody{}, &ecs1.ModifyInstanceChargeTypeResponse{}},
		},
		"DescribePrice":            {values{"InstanceType": "ecs.g7.large"}, []any{&ecs7.DescribePriceResponseBody{}, &ecs1.DescribePriceResponse{}}},
		"DescribeSpotPriceHistory": {values{"InstanceType": "ecs.g7.large", "NetworkType": "vpc"}, []any{&ecs7.DescribeSpotPriceHistoryResponseBody{}, &ecs1.DescribeSpotPriceHistoryResponse{}}},
		"DescribeResourcesModification": {
			values{"ResourceId": id, "DestinationResource": "InstanceType"}, []any{&ecs7.DescribeResourcesModificationResponseBody{}, &ecs1.DescribeResourcesModificationResponse{}},
		},
		"DescribeVSwitches": {nil, []any{&vpc.DescribeVSwitchesResponse{}}},
		"DescribeVpcs":      {nil, []any{&vpc.DescribeVpcsResponse{}}},
		"GetCallerIdentity": {nil, []any{&sts.GetCallerIdentityResponse{}}},
	} {
		t.Run(action, func(t *testing.T) {
			answer := newClient(t, server).ok(action, row.own)
			for _, into := range row.known {
				decoder := json.NewDecoder(bytes.NewReader(answer.body))
				decoder.DisallowUnknownFields()
				if err := decoder.Decode(into); err != nil {
					t.Errorf("%T: %v", into, err)
				}
			}
		})
	}
}
