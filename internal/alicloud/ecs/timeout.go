package ecs

import "time"

const (
	connectTimeout = 5 * time.Second
	defaultTimeout = 10 * time.Second
	// launchTimeout is short on purpose: a lost answer is asked for again with the
	// same token, and whoever looks for the machine waits this time plus the
	// longest time that a new machine stays unlisted.
	launchTimeout = 12 * time.Second
)

// actionTimeout returns how long one attempt of an action may take, from dialing
// to the last byte of the answer. The numbers are the vendor's, of the SDK's
// table, but for RunInstances.
func actionTimeout(action string) time.Duration {
	switch action {
	case "RunInstances":
		return launchTimeout
	case "StartInstance":
		return 46 * time.Second
	case "StopInstance", "RebootInstance":
		return 27 * time.Second
	case "DeleteInstance":
		return 66 * time.Second
	case "DescribePrice":
		return 16 * time.Second
	case "DescribeSpotPriceHistory":
		return 22 * time.Second
	case "DescribeInstanceTypes", "DescribeVSwitches":
		return 17 * time.Second
	case "DescribeImages":
		return 38 * time.Second
	case "DescribeZones":
		return 103 * time.Second
	case "DescribeRegions":
		return 19 * time.Second
	case "DescribeSecurityGroups":
		return 25 * time.Second
	default:
		return defaultTimeout
	}
}
