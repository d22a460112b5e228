package ecs

import (
	"context"
	"errors"
	"fmt"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
)

// change is what is to be done to instances. Changes of one action, region and
// kind differ in nothing but the instances, and may travel in one call.
type change struct {
	// action is the action for many instances, single that for one, "" if it is the
	// same.
	action, single string
	region         string
	// kind tells all options of the change.
	kind string
	// most is the most instances that one call takes.
	most int
	// once is set where a repetition would have a second effect.
	once bool
	// request makes the request for these instances. results, which may be nil, reads
	// out of the answer what was refused of it, by ID.
	request func(ids []string) (requests.AcsRequest, responses.AcsResponse)
	results func(answer responses.AcsResponse) map[string]refusal
}

// refusal is what a call that was accepted tells of one of its instances.
type refusal struct{ code, message string }

// apply makes the change to all of the instances, in calls that are shared with
// those who make the same at the same time. One instance that is refused fails
// none of the others: the error joins what was refused.
//
// Once ctx has ended, no call that has not begun takes the instances along, and
// one on the wire is awaited.
func (c *Client) apply(ctx context.Context, wanted change, ids []string) error {
	region, err := c.regionOf(wanted.action, wanted.region)
	if err != nil {
		return err
	}
	wanted.region = region
	ids, err = uniqueIDs(wanted.action, region, ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	if ctx.Err() != nil {
		action := wanted.action
		if len(ids) == 1 && wanted.single != "" {
			action = wanted.single
		}
		return c.gaveUp(ctx, call{action: action, region: region}, nil, attempts{}, c.clock.Now())
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	refused := c.changes.change(ctx, wanted, ids)
	if len(refused) == 1 {
		return refused[0]
	}
	return errors.Join(refused...)
}

// send makes one call for those of the IDs that are still wanted. It returns what
// was refused by ID, or the refusal of all.
func (c *Client) send(b *batch, ids []string) (map[string]error, error) {
	wanted := b.change
	action := wanted.action
	if len(ids) == 1 && wanted.single != "" {
		action = wanted.single
	}
	var answer responses.AcsResponse
	k := call{
		action: action, product: productECS, region: wanted.region, mutates: true, once: wanted.once, unbounded: true,
		repeats: writeRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			aboard := c.changes.depart(b, ids)
			if len(aboard) == 0 {
				return nil, nil
			}
			var request requests.AcsRequest
			request, answer = wanted.request(aboard)
			return request, answer
		},
		failed: func(failure *Error) {
			b.last.Store(failure)
			c.changes.land(b)
		},
	}
	if _, err := c.do(b.ctx, k); err != nil {
		return nil, err
	}
	if wanted.results == nil {
		return nil, nil
	}
	refused := map[string]error{}
	for id, told := range wanted.results(answer) {
		failure := k.failure(fmt.Sprintf("%s: %s", id, told.message))
		failure.Code = told.code
		decided := classify(action, told.code, told.message, 0)
		failure.Class, failure.Scopes = decided.class, decided.scopes
		failure.Ambiguous = mayHaveTakenEffect(failure)
		refused[id] = failure
	}
	return refused, nil
}
