package ecs

import (
	"context"
	"slices"
	"strings"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// mostTypes is the most types that one DescribeInstanceTypes call takes.
const mostTypes = 10

// look makes one call without effect.
func (c *Client) look(ctx context.Context, service product, action, region string, request func() (requests.AcsRequest, responses.AcsResponse)) error {
	_, err := c.do(ctx, call{action: action, product: service, region: region, repeats: readRepeats, request: request})
	return err
}

// InstanceTypes returns those of the types that the region knows; without IDs,
// all of them. It says nothing of zones or stock. Types are asked for 10 a call.
//
// Source: DescribeInstanceTypes.
func (c *Client) InstanceTypes(ctx context.Context, region string, ids []string) ([]InstanceType, error) {
	const action = "DescribeInstanceTypes"
	region, err := c.regionOf(action, region)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	batches := [][]string{nil}
	if len(ids) > 0 {
		batches = slices.Collect(slices.Chunk(ids, mostTypes))
	}
	var types []InstanceType
	for _, batch := range batches {
		err := everyPage(action, region, func(token string) (string, error) {
			var page *ecssdk.DescribeInstanceTypesResponse
			err := c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
				request := ecssdk.CreateDescribeInstanceTypesRequest()
				if batch != nil {
					wanted := slices.Clone(batch)
					request.InstanceTypes = &wanted
				}
				request.MaxResults = requests.NewInteger(pageSize)
				request.NextToken = token
				page = ecssdk.CreateDescribeInstanceTypesResponse()
				return request, page
			})
			if err != nil {
				return "", err
			}
			for index := range page.InstanceTypes.InstanceType {
				from := &page.InstanceTypes.InstanceType[index]
				types = append(types, decodeInstanceType(from))
			}
			return page.NextToken, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return types, nil
}

func decodeInstanceType(from *ecssdk.InstanceType) InstanceType {
	return InstanceType{
		ID:                        from.InstanceTypeId,
		CPUArchitecture:           from.CpuArchitecture,
		Family:                    from.InstanceTypeFamily,
		VCPUs:                     int64(from.CpuCoreCount),
		MemoryGiB:                 from.MemorySize,
		GPUs:                      int64(from.GPUAmount),
		GPUModel:                  from.GPUSpec,
		GPUMemoryGiB:              from.GPUMemorySize,
		BaselineCredit:            int64(from.BaselineCredit),
		LocalDisks:                int64(from.LocalStorageAmount),
		BandwidthKbps:             int64(min(from.InstanceBandwidthRx, from.InstanceBandwidthTx)),
		Disks:                     int64(from.DiskQuantity),
		IPv6AddressesPerInterface: int64(from.EniIpv6AddressQuantity),
	}
}

// AvailableTypes returns what the region has in stock, by zone and type. It is a
// hint: a launch can still be refused for capacity.
//
// Source: DescribeAvailableResource.
func (c *Client) AvailableTypes(ctx context.Context, query StockQuery) ([]ZoneStock, error) {
	const action = "DescribeAvailableResource"
	const instanceTypes = "InstanceType"
	region, err := c.regionOf(action, query.Region)
	if err != nil {
		return nil, err
	}
	var answer *ecssdk.DescribeAvailableResourceResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeAvailableResourceRequest()
		request.DestinationResource = instanceTypes
		request.InstanceType = query.InstanceType
		request.ZoneId = query.Zone
		request.InstanceChargeType = query.ChargeType
		request.SpotStrategy = query.SpotStrategy
		request.SystemDiskCategory = query.SystemDiskCategory
		request.DataDiskCategory = query.DataDiskCategory
		answer = ecssdk.CreateDescribeAvailableResourceResponse()
		return request, answer
	})
	if err != nil {
		return nil, err
	}
	var stock []ZoneStock
	for _, zone := range answer.AvailableZones.AvailableZone {
		for _, resource := range zone.AvailableResources.AvailableResource {
			if resource.Type != "" && resource.Type != instanceTypes {
				continue
			}
			for _, supported := range resource.SupportedResources.SupportedResource {
				stock = append(stock, ZoneStock{
					Zone:           zone.ZoneId,
					InstanceType:   supported.Value,
					Status:         supported.Status,
					StatusCategory: supported.StatusCategory,
				})
			}
		}
	}
	return stock, nil
}

// everyImageStatus has to be asked for: the API's own default is Available alone.
const everyImageStatus = "Available,Deprecated,Creating,Waiting,UnAvailable,CreateFailed"

// Images returns those of the images that exist and may be seen by the caller,
// whatever their status. No IDs cost no call.
//
// Source: DescribeImages.
func (c *Client) Images(ctx context.Context, region string, ids []string) ([]Image, error) {
	const action = "DescribeImages"
	region, err := c.regionOf(action, region)
	if err != nil {
		return nil, err
	}
	ids, err = uniqueIDs(action, region, ids)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	var images []Image
	for batch := range slices.Chunk(ids, pageSize) {
		var answer *ecssdk.DescribeImagesResponse
		err := c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateDescribeImagesRequest()
			request.ImageId = strings.Join(batch, ",")
			request.Status = everyImageStatus
			request.PageSize = requests.NewInteger(pageSize)
			answer = ecssdk.CreateDescribeImagesResponse()
			return request, answer
		})
		if err != nil {
			return nil, err
		}
		for index := range answer.Images.Image {
			images = append(images, decodeImage(&answer.Images.Image[index]))
		}
	}
	return images, nil
}

// ImageFromFamily returns the newest usable image of a family, and whether there
// is one.
//
// Source: DescribeImageFromFamily.
func (c *Client) ImageFromFamily(ctx context.Context, region, family string) (Image, bool, error) {
	const action = "DescribeImageFromFamily"
	region, err := c.regionOf(action, region)
	if err != nil {
		return Image{}, false, err
	}
	if family == "" {
		return Image{}, false, invalidRequest(action, region, "no image family given")
	}
	var answer *ecssdk.DescribeImageFromFamilyResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeImageFromFamilyRequest()
		request.ImageFamily = family
		answer = ecssdk.CreateDescribeImageFromFamilyResponse()
		return request, answer
	})
	if err != nil || answer.Image.ImageId == "" {
		return Image{}, false, err
	}
	return decodeImage(&answer.Image), true, nil
}

func decodeImage(from *ecssdk.Image) Image {
	return Image{
		ID:           from.ImageId,
		Name:         from.ImageName,
		Family:       from.ImageFamily,
		Architecture: from.Architecture,
		OSType:       from.OSType,
		OwnerAlias:   from.ImageOwnerAlias,
		Status:       from.Status,
		SizeGiB:      int64(from.Size),
	}
}
