package ecs

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

const (
	longestClientToken = 64
	largestUserData    = 32 << 10
	mostTags           = 20
)

// Format tells which launch it is, and not with what user data, whatever the verb.
func (input RunInstancesInput) Format(state fmt.State, _ rune) {
	// A failed write to a formatter has nobody to be told to.
	_, _ = io.WriteString(state, fmt.Sprintf("launch of %s as %q in %s", input.InstanceType, input.InstanceName, input.Region))
}

// RunInstances launches one instance. As long as nothing is known of the outcome
// (no answer, an answer with a 5xx status, an earlier call with the token that
// still runs) or the call is throttled, the very same request is sent again until
// ctx ends; what ClientToken names is launched at most once. Every other refusal
// is returned at once, as an *Error.
//
// An accepted launch can still be withdrawn by ECS, and a new instance can stay
// unlisted for some seconds. A replayed token can name an instance that was
// released since.
//
// Source: RunInstances; "How to ensure idempotence".
func (c *Client) RunInstances(ctx context.Context, input RunInstancesInput) (RunInstancesOutput, error) {
	const action = "RunInstances"
	region, err := c.regionOf(action, input.Region)
	if err != nil {
		return RunInstancesOutput{}, err
	}
	input.Region = region
	if err := input.validate(action); err != nil {
		return RunInstancesOutput{}, err
	}
	var answer *ecssdk.RunInstancesResponse
	spent, err := c.do(ctx, call{
		action: action, product: productECS, region: region, mutates: true,
		secrets: []string{input.UserData},
		repeats: writeRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			answer = ecssdk.CreateRunInstancesResponse()
			return input.request(), answer
		},
		check: func() string {
			if len(answer.InstanceIdSets.InstanceIdSet) == 0 {
				return "accepted, but the answer names no instance"
			}
			return ""
		},
	})
	output := RunInstancesOutput{Attempts: spent.made, LostAnswers: spent.lost}
	if err != nil {
		return output, err
	}
	output.InstanceIDs = slices.Clone(answer.InstanceIdSets.InstanceIdSet)
	output.RequestID = answer.RequestId
	return output, nil
}

func (input RunInstancesInput) validate(action string) error {
	invalid := func(format string, arguments ...any) error {
		return invalidRequest(action, input.Region, format, arguments...)
	}
	switch {
	case input.ClientToken == "":
		return invalid("no client token given: without it a repeated launch makes a second instance")
	case len(input.ClientToken) > longestClientToken || !isASCII(input.ClientToken):
		return invalid("the client token must be at most %d ASCII characters", longestClientToken)
	case input.InstanceType == "":
		return invalid("no instance type given")
	case (input.ImageID == "") == (input.ImageFamily == ""):
		return invalid("want either an image ID or an image family")
	case input.VSwitchID == "":
		return invalid("no vSwitch given")
	case len(input.SecurityGroupIDs) == 0:
		return invalid("no security group given")
	case len(input.UserData) > largestUserData:
		return invalid("the user data is %d bytes, more than %d", len(input.UserData), largestUserData)
	case len(input.Tags) > mostTags:
		return invalid("%d tags given, more than %d", len(input.Tags), mostTags)
	}
	return nil
}

func isASCII(text string) bool {
	for index := range len(text) {
		if text[index] > '~' || text[index] < ' ' {
			return false
		}
	}
	return true
}

// request is the same for the same input: the token allows no other.
func (input RunInstancesInput) request() *ecssdk.RunInstancesRequest {
	request := ecssdk.CreateRunInstancesRequest()
	request.Amount = requests.NewInteger(1)
	request.InstanceChargeType = "PostPaid"
	request.ZoneId = input.Zone
	request.InstanceType = input.InstanceType
	request.ImageId = input.ImageID
	request.ImageFamily = input.ImageFamily
	request.VSwitchId = input.VSwitchID
	groups := slices.Clone(input.SecurityGroupIDs)
	request.SecurityGroupIds = &groups
	request.InstanceName = input.InstanceName
	request.HostName = input.HostName
	request.KeyPairName = input.KeyPairName
	request.RamRoleName = input.RAMRoleName
	request.SpotStrategy = input.SpotStrategy
	request.SystemDiskCategory = input.SystemDisk.Category
	request.SystemDiskPerformanceLevel = input.SystemDisk.PerformanceLevel
	if input.SystemDisk.SizeGiB != 0 {
		request.SystemDiskSize = strconv.FormatInt(input.SystemDisk.SizeGiB, 10)
	}
	request.PrivateIpAddress = input.PrivateIPAddress
	request.InternetChargeType = input.InternetChargeType
	request.InternetMaxBandwidthIn = integer(input.InternetMaxBandwidthIn)
	request.InternetMaxBandwidthOut = integer(input.InternetMaxBandwidthOut)
	if disks := input.dataDisks(); len(disks) > 0 {
		request.DataDisk = &disks
	}
	if input.UserData != "" {
		request.UserData = base64.StdEncoding.EncodeToString([]byte(input.UserData))
	}
	tags := make([]ecssdk.RunInstancesTag, 0, len(input.Tags))
	for _, key := range slices.Sorted(maps.Keys(input.Tags)) {
		tags = append(tags, ecssdk.RunInstancesTag{Key: key, Value: input.Tags[key]})
	}
	request.Tag = &tags
	request.ClientToken = input.ClientToken
	return request
}

func (input RunInstancesInput) dataDisks() []ecssdk.RunInstancesDataDisk {
	disks := make([]ecssdk.RunInstancesDataDisk, 0, len(input.DataDisks))
	for _, from := range input.DataDisks {
		disk := ecssdk.RunInstancesDataDisk{
			DiskName: from.Name, Category: from.Category, Description: from.Description, PerformanceLevel: from.PerformanceLevel,
		}
		if from.SizeGiB != 0 {
			disk.Size = strconv.FormatInt(from.SizeGiB, 10)
		}
		if from.Encrypted {
			disk.Encrypted = "true"
		}
		if from.DeleteWithInstance != nil {
			disk.DeleteWithInstance = strconv.FormatBool(*from.DeleteWithInstance)
		}
		disks = append(disks, disk)
	}
	return disks
}

func integer(value *int) requests.Integer {
	if value == nil {
		return ""
	}
	return requests.NewInteger(*value)
}
