package ecs

import (
	"context"
	"encoding/json"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	vpcsdk "github.com/aliyun/alibaba-cloud-sdk-go/services/vpc"
)

const (
	// vswitchPage is the most vSwitches that one answer holds.
	vswitchPage = 50
	// fewVSwitches is up to how many are asked for one by one.
	fewVSwitches = 2
)

// VSwitches returns those of the vSwitches that exist in the region, in the order of
// the IDs. The API takes one ID a call; of more than two, which are nearly always of
// one VPC, the first tells which, and that VPC's vSwitches come 50 a call.
//
// Source: VPC, DescribeVSwitches.
func (c *Client) VSwitches(ctx context.Context, region string, ids []string) ([]VSwitch, error) {
	const action = "DescribeVSwitches"
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
	found := make(map[string]VSwitch, len(ids))
	for index, id := range ids {
		if _, known := found[id]; known {
			continue
		}
		page, err := c.vswitches(ctx, action, region, func(request *vpcsdk.DescribeVSwitchesRequest) { request.VSwitchId = id })
		if err != nil {
			return nil, err
		}
		for _, vswitch := range page {
			if vswitch.ID == id {
				found[id] = vswitch
			}
		}
		if vpc := found[id].VPCID; index == 0 && vpc != "" && len(ids) > fewVSwitches {
			if err := c.vswitchesOf(ctx, action, region, vpc, ids, found); err != nil {
				return nil, err
			}
		}
	}
	vswitches := make([]VSwitch, 0, len(found))
	for _, id := range ids {
		if vswitch, ok := found[id]; ok {
			vswitches = append(vswitches, vswitch)
		}
	}
	return vswitches, nil
}

// vswitchesOf adds the vSwitches of a VPC to found, as long as that takes fewer calls
// than asking for each.
func (c *Client) vswitchesOf(ctx context.Context, action, region, vpc string, ids []string, found map[string]VSwitch) error {
	for number := 1; ; number++ {
		missing := 0
		for _, id := range ids {
			if _, known := found[id]; !known {
				missing++
			}
		}
		if missing <= 1 {
			return nil
		}
		page, err := c.vswitches(ctx, action, region, func(request *vpcsdk.DescribeVSwitchesRequest) {
			request.VpcId = vpc
			request.PageSize = requests.NewInteger(vswitchPage)
			request.PageNumber = requests.NewInteger(number)
		})
		if err != nil {
			return err
		}
		for _, vswitch := range page {
			found[vswitch.ID] = vswitch
		}
		if len(page) < vswitchPage || number >= missing {
			return nil
		}
	}
}

func (c *Client) vswitches(ctx context.Context, action, region string, filter func(*vpcsdk.DescribeVSwitchesRequest)) ([]VSwitch, error) {
	var answer *vpcsdk.DescribeVSwitchesResponse
	err := c.look(ctx, productVPC, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := vpcsdk.CreateDescribeVSwitchesRequest()
		filter(request)
		answer = vpcsdk.CreateDescribeVSwitchesResponse()
		return request, answer
	})
	if err != nil {
		return nil, err
	}
	free := freeAddresses(answer.GetHttpContentBytes())
	page := make([]VSwitch, 0, len(answer.VSwitches.VSwitch))
	for _, from := range answer.VSwitches.VSwitch {
		page = append(page, VSwitch{
			ID:               from.VSwitchId,
			VPCID:            from.VpcId,
			Zone:             from.ZoneId,
			Status:           from.Status,
			AvailableIPCount: free[from.VSwitchId],
			CIDRBlock:        from.CidrBlock,
			IPv6CIDRBlock:    from.Ipv6CidrBlock,
		})
	}
	return page, nil
}

// freeAddresses reads what the SDK's types cannot tell apart: no free address, and
// none told. An answer that has another shape tells none.
func freeAddresses(content []byte) map[string]*int64 {
	var answer struct {
		VSwitches struct {
			VSwitch []struct {
				VSwitchID               string `json:"VSwitchId"`
				AvailableIPAddressCount *int64 `json:"AvailableIpAddressCount"`
			}
		}
	}
	free := map[string]*int64{}
	if err := json.Unmarshal(content, &answer); err != nil {
		return free
	}
	for _, vswitch := range answer.VSwitches.VSwitch {
		free[vswitch.VSwitchID] = vswitch.AvailableIPAddressCount
	}
	return free
}
