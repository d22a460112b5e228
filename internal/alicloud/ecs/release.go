package ecs

import (
	"context"
	"errors"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// mostDeletes is the most IDs that one DeleteInstances call takes.
const mostDeletes = 100

// DeleteInstances releases the instances, running or not, 100 a call. An instance
// that does not exist counts as released. Release goes on after the call: the
// instances stay listed for a while. As the API refuses a whole call for one of
// its instances, such a call is repeated for each instance alone, and the error
// joins what was refused.
//
// Source: DeleteInstances.
func (c *Client) DeleteInstances(ctx context.Context, region string, ids []string) error {
	const action = "DeleteInstances"
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
	var refused []error
	for batch := range slices.Chunk(ids, mostDeletes) {
		err := c.deleteBatch(ctx, region, batch)
		switch {
		case err == nil:
		case len(batch) > 1 && concernsInstance(ClassOf(err)):
			for _, id := range batch {
				if err := c.deleteBatch(ctx, region, []string{id}); err != nil && ClassOf(err) != ClassGone {
					refused = append(refused, err)
				}
			}
		case ClassOf(err) == ClassGone:
		default:
			refused = append(refused, err)
		}
	}
	if len(refused) == 1 {
		return refused[0]
	}
	return errors.Join(refused...)
}

// concernsInstance reports whether a refusal is about one of several instances.
func concernsInstance(class Class) bool {
	return concernsRequest(class) || class == ClassAccount
}

func (c *Client) deleteBatch(ctx context.Context, region string, ids []string) error {
	_, err := c.do(ctx, call{
		action: "DeleteInstances", product: productECS, region: region, mutates: true,
		repeats: writeRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			return deleteRequest(ids, func(request *ecssdk.DeleteInstancesRequest) { request.Force = requests.NewBoolean(true) }),
				ecssdk.CreateDeleteInstancesResponse()
		},
	})
	return err
}

func deleteRequest(ids []string, options func(*ecssdk.DeleteInstancesRequest)) *ecssdk.DeleteInstancesRequest {
	request := ecssdk.CreateDeleteInstancesRequest()
	batch := slices.Clone(ids)
	request.InstanceId = &batch
	options(request)
	return request
}

// ProveReleased asks, by a dry run of a deletion, whether the instance exists:
// true is the API's word that it does not, which is worth more than its absence
// from a list. False is that it does. Whatever tells neither is an error. An ID
// of another region or account does not exist either.
//
// Source: DeleteInstances, DryRun.
func (c *Client) ProveReleased(ctx context.Context, region, id string) (bool, error) {
	const action = "DeleteInstances"
	region, err := c.regionOf(action, region)
	if err != nil {
		return false, err
	}
	if _, err := uniqueIDs(action, region, []string{id}); err != nil {
		return false, err
	}
	_, err = c.do(ctx, call{
		action: action, product: productECS, region: region,
		repeats: readRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			// Without force: should the dry run be overlooked, a running machine stays.
			return deleteRequest([]string{id}, func(request *ecssdk.DeleteInstancesRequest) { request.DryRun = requests.NewBoolean(true) }),
				ecssdk.CreateDeleteInstancesResponse()
		},
	})
	var failure *Error
	switch {
	case err == nil:
		return false, notADryRun(action, region)
	case !errors.As(err, &failure):
		return false, err
	case failure.Class == ClassGone:
		return true, nil
	case failure.Class == ClassDryRunOK, provesExistence(failure):
		return false, nil
	default:
		return false, err
	}
}

// provesExistence reports whether a deletion was refused for what the instance is.
func provesExistence(failure *Error) bool {
	switch failure.Code {
	case "InvalidOperation.DeletionProtection", "OperationDenied.DeletionProtection", "ChargeTypeViolation", "InstanceLockedForSecurity",
		"InvalidOperation.EniLinked", "OperationDenied.SystemInstanceNotSupport", "InvalidOperation.NotInWhiteList":
		return true
	default:
		return failure.Class == ClassConflict
	}
}

func notADryRun(action, region string) error {
	return &Error{
		Action: action, Region: region, Class: ClassUnknown,
		Message: "a dry run was answered as if it were none, which proves nothing",
	}
}

// ProveListPermission asks, by a dry run, whether the caller may list instances
// in the region: without the permission the API answers an empty list, not an
// error. Nil is that it may; an *Error of ClassPermission that it may not.
//
// Source: DescribeInstances, DryRun.
func (c *Client) ProveListPermission(ctx context.Context, region string) error {
	const action = "DescribeInstances"
	region, err := c.regionOf(action, region)
	if err != nil {
		return err
	}
	_, err = c.do(ctx, call{
		action: action, product: productECS, region: region,
		repeats: readRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateDescribeInstancesRequest()
			request.DryRun = requests.NewBoolean(true)
			return request, ecssdk.CreateDescribeInstancesResponse()
		},
	})
	switch {
	case err == nil:
		return notADryRun(action, region)
	case ClassOf(err) == ClassDryRunOK:
		return nil
	default:
		return err
	}
}
