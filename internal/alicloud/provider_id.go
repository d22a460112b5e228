package alicloud

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// providerIDScheme may precede a provider ID (Kubernetes' cloud controller manager
// and OpenShift's machine API write it).
const providerIDScheme = "alicloud://"

var (
	regionPattern   = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)
	instancePattern = regexp.MustCompile(`^i-[a-zA-Z0-9]{1,64}$`)
)

// ParseProviderID reads `<region>.<instance-id>`, the same after `alicloud://`, and
// a bare `<instance-id>`, which is completed with defaultRegion. Anything else is
// an error of code CodeInvalidArgument that shows the form.
func (plugin *MachinePlugin) ParseProviderID(text, defaultRegion string) (driver.ProviderID, error) {
	return parseProviderID(text, defaultRegion)
}

func parseProviderID(text, defaultRegion string) (driver.ProviderID, error) {
	rest := strings.TrimPrefix(text, providerIDScheme)

	region, instance, qualified := strings.Cut(rest, ".")
	if !qualified {
		region, instance = defaultRegion, rest
	}

	switch {
	case !instancePattern.MatchString(instance):
		return driver.ProviderID{}, driver.NewError(driver.CodeInvalidArgument,
			"%q is not a provider ID: want <region>.<instance-id>, such as cn-hangzhou.i-bp1abc, with or without %s before it", text, providerIDScheme)
	case region == "":
		return driver.ProviderID{}, driver.NewError(driver.CodeInvalidArgument,
			"%q names no region, and the provider has none: write <region>.%s, or set alicloud.region", text, instance)
	case !regionPattern.MatchString(region):
		return driver.ProviderID{}, driver.NewError(driver.CodeInvalidArgument,
			"%q is not a provider ID: %q is not a region; want <region>.<instance-id>, such as cn-hangzhou.i-bp1abc", text, region)
	}

	return driver.ProviderID{Region: region, ResourceID: instance}, nil
}

func providerID(region, instance string) string { return fmt.Sprintf("%s.%s", region, instance) }

// nodeName is the name under which a machine registers with Kubernetes: its host
// name where one was set, else the one that ECS derives from the instance ID
// (i-bp1abc becomes iZbp1abcZ, and Kubernetes names are in lower case).
func nodeName(hostName, instance string) string {
	if hostName != "" {
		return strings.ToLower(hostName)
	}

	return strings.ToLower(strings.Replace(instance, "-", "z", 1) + "z")
}
