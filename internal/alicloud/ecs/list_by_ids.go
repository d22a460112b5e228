package ecs

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
)

// listByIDs asks for what has the IDs, 100 a call, from all pages. Each request gets its
// IDs as a JSON list and the token of its page; read takes an answer over, and returns
// the token of the next page.
func listByIDs[Answer responses.AcsResponse](
	ctx context.Context, c *Client, action, region string, ids []string,
	request func(filter, token string) (requests.AcsRequest, Answer), read func(Answer) (next string),
) error {
	region, err := c.regionOf(action, region)
	if err != nil {
		return err
	}

	ids, err = uniqueIDs(action, region, ids)
	if err != nil {
		return err
	}

	ctx, cancel := withPatience(ctx)
	defer cancel()

	for batch := range slices.Chunk(ids, pageSize) {
		err := everyPage(action, region, func(token string) (string, error) {
			var answer Answer

			err := c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
				var asked requests.AcsRequest
				asked, answer = request(jsonList(batch), token)

				return asked, answer
			})
			if err != nil {
				return "", err
			}

			return read(answer), nil
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// jsonList writes IDs as the actions of ECS take them.
func jsonList(ids []string) string {
	// Strings always have a JSON form.
	text, _ := json.Marshal(ids)

	return string(text)
}
