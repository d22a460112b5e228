package ecs

import (
	"context"
	"time"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// PriceQuery asks what an instance costs.
type PriceQuery struct {
	Region       string
	InstanceType string
	// SystemDiskCategory is one that the type takes; its own price is not counted.
	SystemDiskCategory string
	// Unit is Hour, Week, Month or Year.
	Unit string
	// Period is how many of them.
	Period int
}

// Price is an amount of money, for all that was asked for.
type Price struct {
	Amount float64
	// Currency is an ISO 4217 code.
	Currency string
}

// InstancePrice returns what the instance alone costs without its disks and
// traffic, on demand by the hour, or as a subscription. The amount is 0 where the
// answer tells none.
//
// Source: DescribePrice.
func (c *Client) InstancePrice(ctx context.Context, query PriceQuery) (Price, error) {
	const action = "DescribePrice"
	region, err := c.regionOf(action, query.Region)
	if err != nil {
		return Price{}, err
	}
	var answer *ecssdk.DescribePriceResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribePriceRequest()
		request.ResourceType = "instance"
		request.InstanceType = query.InstanceType
		request.InstanceNetworkType = "vpc"
		request.SystemDiskCategory = query.SystemDiskCategory
		request.PriceUnit = query.Unit
		request.Period = requests.NewInteger(query.Period)
		answer = ecssdk.CreateDescribePriceResponse()
		return request, answer
	})
	if err != nil {
		return Price{}, err
	}
	told := answer.PriceInfo.Price
	price := Price{Amount: told.TradePrice, Currency: told.Currency}
	for _, detail := range told.DetailInfos.DetailInfo {
		if detail.Resource == "instanceType" {
			price.Amount = detail.TradePrice
		}
	}
	return price, nil
}

// SpotPrices returns what the type costs an hour as a spot instance, by zone, as far
// as the last hours tell.
//
// Source: DescribeSpotPriceHistory.
func (c *Client) SpotPrices(ctx context.Context, region, instanceType string) (map[string]Price, error) {
	const action = "DescribeSpotPriceHistory"
	region, err := c.regionOf(action, region)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	prices, latest := map[string]Price{}, map[string]time.Time{}
	for offset := 0; ; {
		var page *ecssdk.DescribeSpotPriceHistoryResponse
		err := c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateDescribeSpotPriceHistoryRequest()
			request.NetworkType = "vpc"
			request.InstanceType = instanceType
			if offset > 0 {
				request.Offset = requests.NewInteger(offset)
			}
			page = ecssdk.CreateDescribeSpotPriceHistoryResponse()
			return request, page
		})
		if err != nil {
			return nil, err
		}
		for _, point := range page.SpotPrices.SpotPriceType {
			at, err := time.Parse(time.RFC3339, point.Timestamp)
			if err != nil || point.SpotPrice <= 0 || at.Before(latest[point.ZoneId]) {
				continue
			}
			latest[point.ZoneId] = at
			prices[point.ZoneId] = Price{Amount: point.SpotPrice, Currency: page.Currency}
		}
		// The last page names no next one; an offset that does not grow would be asked
		// for without end.
		if page.NextOffset <= offset {
			return prices, nil
		}
		offset = page.NextOffset
	}
}
