package ecs

import (
	"context"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// mostAccessChanges is the most IDs that one call of the actions on key pairs and RAM
// roles takes.
const mostAccessChanges = 50

// InstanceAttributes are what is to be changed of an instance; nil leaves it as it is.
type InstanceAttributes struct {
	Name *string
	// SecurityGroupIDs are all groups that the instance is to be in.
	SecurityGroupIDs []string
	// DeletionProtection is for pay-as-you-go instances only.
	DeletionProtection *bool
}

// ModifyInstance changes the attributes, all or none, of an instance that runs or is
// stopped. To ask for what is there already changes nothing.
//
// Source: ModifyInstanceAttribute.
func (c *Client) ModifyInstance(ctx context.Context, region, id string, attributes InstanceAttributes) error {
	return c.changeInstance(ctx, region, id, call{
		action: "ModifyInstanceAttribute", repeats: writeRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateModifyInstanceAttributeRequest()
			request.InstanceId = id

			if attributes.Name != nil {
				request.InstanceName = *attributes.Name
			}

			if len(attributes.SecurityGroupIDs) > 0 {
				groups := slices.Clone(attributes.SecurityGroupIDs)
				request.SecurityGroupIds = &groups
			}

			if attributes.DeletionProtection != nil {
				request.DeletionProtection = requests.NewBoolean(*attributes.DeletionProtection)
			}

			return request, ecssdk.CreateModifyInstanceAttributeResponse()
		},
	})
}

// AttachKeyPair gives the instances the key pair in place of any other; one that runs
// takes it at its next reboot. Calls for one key pair that meet share one.
//
// Source: AttachKeyPair.
func (c *Client) AttachKeyPair(ctx context.Context, region string, ids []string, name string) error {
	return c.changeAccess(ctx, "AttachKeyPair", region, name, ids, func(batch string) (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateAttachKeyPairRequest()
		request.InstanceIds, request.KeyPairName = batch, name

		return request, ecssdk.CreateAttachKeyPairResponse()
	})
}

// DetachKeyPair takes the key pair from the instances. One that has another is an
// error.
//
// Source: DetachKeyPair.
func (c *Client) DetachKeyPair(ctx context.Context, region string, ids []string, name string) error {
	return c.changeAccess(ctx, "DetachKeyPair", region, name, ids, func(batch string) (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDetachKeyPairRequest()
		request.InstanceIds, request.KeyPairName = batch, name

		return request, ecssdk.CreateDetachKeyPairResponse()
	})
}

// RAMRole returns the name of the instance's RAM role, empty where it has none.
//
// Source: DescribeInstanceRamRole.
func (c *Client) RAMRole(ctx context.Context, region, id string) (string, error) {
	const action = "DescribeInstanceRamRole"
	region, err := c.regionOf(action, region)
	if err != nil {
		return "", err
	}
	if _, err := uniqueIDs(action, region, []string{id}); err != nil {
		return "", err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	var answer *ecssdk.DescribeInstanceRamRoleResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeInstanceRamRoleRequest()
		request.InstanceIds = jsonList([]string{id})
		answer = ecssdk.CreateDescribeInstanceRamRoleResponse()
		return request, answer
	})
	if err != nil {
		return "", err
	}
	for _, of := range answer.InstanceRamRoleSets.InstanceRamRoleSet {
		if of.InstanceId == id {
			return of.RamRoleName, nil
		}
	}
	return "", nil
}

// AttachRAMRole gives the instances the role. One that has another is refused: it has
// to be taken away first. The caller needs ram:PassRole.
//
// Source: AttachInstanceRamRole.
func (c *Client) AttachRAMRole(ctx context.Context, region string, ids []string, role string) error {
	return c.changeAccess(ctx, "AttachInstanceRamRole", region, role, ids, func(batch string) (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateAttachInstanceRamRoleRequest()
		request.InstanceIds, request.RamRoleName = batch, role

		return request, ecssdk.CreateAttachInstanceRamRoleResponse()
	})
}

// DetachRAMRole takes the role from the instances. One that does not have it is an
// error.
//
// Source: DetachInstanceRamRole.
func (c *Client) DetachRAMRole(ctx context.Context, region string, ids []string, role string) error {
	return c.changeAccess(ctx, "DetachInstanceRamRole", region, role, ids, func(batch string) (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDetachInstanceRamRoleRequest()
		request.InstanceIds, request.RamRoleName = batch, role

		return request, ecssdk.CreateDetachInstanceRamRoleResponse()
	})
}

// changeAccess gives or takes what a machine is accessed by, or accesses others by.
// Calls for one name that meet share one.
func (c *Client) changeAccess(
	ctx context.Context, action, region, name string, ids []string, request func(batch string) (requests.AcsRequest, responses.AcsResponse),
) error {
	return c.apply(ctx, change{
		action: action, region: region, kind: name, most: mostAccessChanges,
		request: func(batch []string) (requests.AcsRequest, responses.AcsResponse) { return request(jsonList(batch)) },
		results: accessResults,
	}, ids)
}

// accessResults reads which instances were refused a key pair or a role.
func accessResults(answer responses.AcsResponse) map[string]refusal {
	refused := map[string]refusal{}
	note := func(id, code, message string) {
		if code != "" && code != responseOK {
			refused[id] = refusal{code: code, message: message}
		}
	}
	switch answer := answer.(type) {
	case *ecssdk.AttachKeyPairResponse:
		for _, of := range answer.Results.Result {
			note(of.InstanceId, of.Code, of.Message)
		}
	case *ecssdk.DetachKeyPairResponse:
		for _, of := range answer.Results.Result {
			note(of.InstanceId, of.Code, of.Message)
		}
	case *ecssdk.AttachInstanceRamRoleResponse:
		for _, of := range answer.AttachInstanceRamRoleResults.AttachInstanceRamRoleResult {
			note(of.InstanceId, of.Code, of.Message)
		}
	case *ecssdk.DetachInstanceRamRoleResponse:
		for _, of := range answer.DetachInstanceRamRoleResults.DetachInstanceRamRoleResult {
			note(of.InstanceId, of.Code, of.Message)
		}
	}
	return refused
}
