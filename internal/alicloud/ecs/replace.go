package ecs

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// SystemDisk is what DescribeDisks tells of an instance's system disk.
type SystemDisk struct {
	ID      string
	ImageID string
	Status  string
	SizeGiB int64
}

// SystemDisk returns the system disk of the instance, and whether one is listed.
//
// Source: DescribeDisks.
func (c *Client) SystemDisk(ctx context.Context, region, instanceID string) (SystemDisk, bool, error) {
	const action = "DescribeDisks"
	region, err := c.regionOf(action, region)
	if err != nil {
		return SystemDisk{}, false, err
	}
	if _, err := uniqueIDs(action, region, []string{instanceID}); err != nil {
		return SystemDisk{}, false, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	var answer *ecssdk.DescribeDisksResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeDisksRequest()
		request.InstanceId = instanceID
		request.DiskType = "system"
		answer = ecssdk.CreateDescribeDisksResponse()
		return request, answer
	})
	if err != nil {
		return SystemDisk{}, false, err
	}
	for _, disk := range answer.Disks.Disk {
		// Answers may leave the type out; what was asked for stands then.
		if disk.Type == "" || disk.Type == "system" {
			return SystemDisk{ID: disk.DiskId, ImageID: disk.ImageId, Status: disk.Status, SizeGiB: int64(disk.Size)}, true, nil
		}
	}
	return SystemDisk{}, false, nil
}

// ReplaceSystemDiskInput is a new system disk for a stopped instance.
type ReplaceSystemDiskInput struct {
	Region     string
	InstanceID string
	ImageID    string
	// SizeGiB is the size of the new disk; 0 leaves it to ECS (the larger of 40 and the
	// image's).
	SizeGiB int64
	// KeyPairName is the key pair to log in by. Without one the password that is set in
	// the image stays.
	KeyPairName string
	// ClientToken makes the request idempotent; at most 64 ASCII characters.
	ClientToken string
}

// ReplaceSystemDisk destroys the system disk of a stopped instance and gives it a new
// one, made from the image. It returns the new disk's ID when the API has accepted. A
// request that may have taken effect without an answer that says so is not sent
// again: the error's Ambiguous tells, and the caller looks at the disk. An instance
// that is not stopped is an error of ClassConflict.
//
// Source: ReplaceSystemDisk.
func (c *Client) ReplaceSystemDisk(ctx context.Context, input ReplaceSystemDiskInput) (string, error) {
	var answer *ecssdk.ReplaceSystemDiskResponse

	err := c.changeInstance(ctx, input.Region, input.InstanceID, call{
		action: "ReplaceSystemDisk", once: true, repeats: readRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateReplaceSystemDiskRequest()
			request.InstanceId = input.InstanceID
			request.ImageId = input.ImageID
			request.ClientToken = input.ClientToken
			request.KeyPairName = input.KeyPairName
			if input.KeyPairName == "" {
				request.PasswordInherit = requests.NewBoolean(true)
			}
			if input.SizeGiB > 0 {
				request.SystemDiskSize = requests.NewInteger64(input.SizeGiB)
			}
			answer = ecssdk.CreateReplaceSystemDiskResponse()
			return request, answer
		},
	})
	if err != nil {
		return "", err
	}
	return answer.DiskId, nil
}

// SetUserData writes the first-boot data that the instance reads at the first boot
// from a new system disk; empty data takes it away. It travels Base64-encoded and is
// never logged.
//
// Source: ModifyInstanceAttribute, "UserData".
func (c *Client) SetUserData(ctx context.Context, region, id, data string) error {
	encoded := base64.StdEncoding.EncodeToString([]byte(data))

	return c.changeInstance(ctx, region, id, call{
		action: "ModifyInstanceAttribute", repeats: writeRepeats, secrets: []string{data, encoded},
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateModifyInstanceAttributeRequest()
			request.InstanceId = id
			request.UserData = encoded

			return request, ecssdk.CreateModifyInstanceAttributeResponse()
		},
	})
}

// Ambiguous reports whether a failed call may have taken effect all the same. A call
// that a context ended is ambiguous where its last attempt was.
func Ambiguous(err error) bool {
	var failure *Error

	return errors.As(err, &failure) && failure.Ambiguous
}
