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
// instances stay listed for a while. Calls that meet share one. As the API refuses
// a whole call for one of its instances, such a call is made again in halves, and
// the error joins what was refused.
//
// Source: DeleteInstances.
func (c *Client) DeleteInstances(ctx context.Context, region string, ids []string) error {
	return withoutGone(c.apply(ctx, change{
		action: "DeleteInstances", region: region, most: mostDeletes,
		request: func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
			return deleteRequest(batch, func(request *ecssdk.DeleteInstancesRequest) { request.Force = requests.NewBoolean(true) }),
				ecssdk.CreateDeleteInstancesResponse()
		},
	}, ids))
}

// withoutGone drops what of an error says that something does not exist.
func withoutGone(err error) error {
	joined, several := err.(interface{ Unwrap() []error })
	if _, gaveUp := err.(*gaveUpError); gaveUp || !several { //nolint:errorlint // Not what it wraps, but what it is.
		if ClassOf(err) == ClassGone && !gaveUp {
			return nil
		}
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(joined.Unwrap()), func(err error) bool { return ClassOf(err) == ClassGone })
	if len(rest) == 1 {
		return rest[0]
	}
	return errors.Join(rest...)
}

// concernsInstance reports whether a refusal is about one of several instances.
func concernsInstance(class Class) bool {
	return concernsRequest(class) || class == ClassAccount
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
// error. Nil is that it may; an *Error of ClassPermission that it may not. Those
// who ask at once share the call, which begins after all of them asked.
//
// Source: DescribeInstances, DryRun.
func (c *Client) ProveListPermission(ctx context.Context, region string) error {
	region, err := c.regionOf(sharedAction, region)
	if err != nil {
		return err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	_, err = c.permissions.read(ctx, region, nil)
	return err
}

// proveListPermission lists nothing; it is the proof itself.
func (c *Client) proveListPermission(ctx context.Context, region string, _ map[string]string, failed func(*Error)) ([]Instance, error) {
	_, err := c.do(ctx, call{
		action: sharedAction, product: productECS, region: region,
		repeats: readRepeats, failed: failed, unbounded: true,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateDescribeInstancesRequest()
			request.DryRun = requests.NewBoolean(true)
			return request, ecssdk.CreateDescribeInstancesResponse()
		},
	})
	switch {
	case err == nil:
		return nil, notADryRun(sharedAction, region)
	case ClassOf(err) == ClassDryRunOK:
		return nil, nil
	default:
		return nil, err
	}
}
