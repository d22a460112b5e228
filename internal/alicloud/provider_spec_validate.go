package alicloud

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// The tags by which Kubernetes users of this cloud mark the machines of one cluster
// and of one role in it.
const (
	clusterTagPrefix = "kubernetes.io/cluster/"
	roleTagPrefix    = "kubernetes.io/role/"
)

// The bounds of disks (RunInstances, "SystemDisk.Size" and "DataDisk.N").
const (
	largestSystemDiskGiB = 2048
	largestDataDiskGiB   = 65536
	mostDataDisks        = 16
)

const (
	postPaid          = "PostPaid"
	largestBandwidth  = 100
	longestDiskName   = 128
	ephemeralCategory = "elastic_ephemeral_disk"
)

var identifierPattern = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]*$`)

// validate returns one error that names every problem with its field.
func (s *providerSpec) validate() error {
	return errors.Join(
		s.validatePlace(), s.validateAddress(), s.validateSystemDisk(), s.validateDataDisks(), s.validateCharge(), s.validateInternet(), s.validateTags())
}

func (s *providerSpec) validatePlace() error {
	var problems []error

	for _, field := range []struct {
		name, value string
		pattern     *regexp.Regexp
		optional    bool
	}{
		{name: "imageID", value: s.ImageID, pattern: identifierPattern},
		{name: "instanceType", value: s.InstanceType, pattern: identifierPattern},
		{name: "region", value: s.Region, pattern: regionPattern},
		{name: "zoneID", value: s.ZoneID, pattern: identifierPattern, optional: true},
		{name: "securityGroupID", value: s.SecurityGroupID, pattern: identifierPattern},
		{name: "vSwitchID", value: s.VSwitchID, pattern: identifierPattern},
		{name: "keyPairName", value: s.KeyPairName, pattern: identifierPattern, optional: true},
	} {
		switch {
		case field.value == "" && !field.optional:
			problems = append(problems, fmt.Errorf("%s: it is not set", field.name))
		case field.value != "" && !field.pattern.MatchString(field.value):
			problems = append(problems, fmt.Errorf("%s: %q is malformed", field.name, field.value))
		}
	}

	return errors.Join(problems...)
}

func (s *providerSpec) validateAddress() error {
	if s.PrivateIPAddress == "" {
		return nil
	}

	address, err := netip.ParseAddr(s.PrivateIPAddress)
	if err != nil || !address.Is4() {
		return fmt.Errorf("privateIPAddress: %q is not an IPv4 address", s.PrivateIPAddress)
	}

	return nil
}

func (s *providerSpec) validateSystemDisk() error {
	if s.SystemDisk == nil {
		return nil
	}

	var problems []error

	if !slices.Contains(append(systemDiskCategories(), ""), s.SystemDisk.Category) {
		problems = append(problems, oneOf("systemDisk.category", s.SystemDisk.Category, systemDiskCategories()))
	}

	if size := s.SystemDisk.Size; size < 0 || size > largestSystemDiskGiB {
		problems = append(problems, fmt.Errorf("systemDisk.size: %d is not between 1 and %d GiB", size, largestSystemDiskGiB))
	}

	return errors.Join(problems...)
}

func (s *providerSpec) validateDataDisks() error {
	var problems []error

	if count := len(s.DataDisks); count > mostDataDisks {
		problems = append(problems, fmt.Errorf("dataDisks: %d are more than %d", count, mostDataDisks))
	}

	for i, disk := range s.DataDisks {
		problems = append(problems, disk.validate(fmt.Sprintf("dataDisks[%d]", i)))
	}

	return errors.Join(problems...)
}

func (d specDataDisk) validate(field string) error {
	var problems []error

	if !slices.Contains(append(dataDiskCategories(), ""), d.Category) {
		problems = append(problems, oneOf(field+".category", d.Category, dataDiskCategories()))
	}

	if d.Size < 1 || d.Size > largestDataDiskGiB {
		problems = append(problems, fmt.Errorf("%s.size: %d is not between 1 and %d GiB", field, d.Size, largestDataDiskGiB))
	}

	if d.Name != "" && (len(d.Name) < 2 || len(d.Name) > longestDiskName) {
		problems = append(problems, fmt.Errorf("%s.name: it has %d characters, and ECS takes 2 to %d", field, len(d.Name), longestDiskName))
	}

	if strings.HasPrefix(d.Category, ephemeralCategory) && d.DeleteWithInstance != nil && !*d.DeleteWithInstance {
		problems = append(problems, fmt.Errorf("%s.deleteWithInstance: a disk of the category %s cannot outlive its instance", field, d.Category))
	}

	return errors.Join(problems...)
}

func (s *providerSpec) validateCharge() error {
	var problems []error

	switch s.InstanceChargeType {
	case "", postPaid:
	case prePaid:
		problems = append(problems, fmt.Errorf("instanceChargeType: %s is not supported: ECS does not release a subscription before its end", prePaid))
	default:
		problems = append(problems, oneOf("instanceChargeType", s.InstanceChargeType, []string{postPaid}))
	}

	if strategies := []string{noSpot, spotAtMarketPrice, spotWithPriceLimit}; !slices.Contains(append(strategies, ""), s.SpotStrategy) {
		problems = append(problems, oneOf("spotStrategy", s.SpotStrategy, strategies))
	}

	return errors.Join(problems...)
}

func (s *providerSpec) validateInternet() error {
	var problems []error

	if types := []string{"PayByTraffic", "PayByBandwidth"}; !slices.Contains(append(types, ""), s.InternetChargeType) {
		problems = append(problems, oneOf("internetChargeType", s.InternetChargeType, types))
	}

	for _, field := range []struct {
		name  string
		value *int
	}{
		{name: "internetMaxBandwidthIn", value: s.InternetMaxBandwidthIn},
		{name: "internetMaxBandwidthOut", value: s.InternetMaxBandwidthOut},
	} {
		if field.value != nil && (*field.value < 0 || *field.value > largestBandwidth) {
			problems = append(problems, fmt.Errorf("%s: %d is not between 0 and %d Mbit/s", field.name, *field.value, largestBandwidth))
		}
	}

	if !slices.Contains([]string{"", "optimized", "none"}, s.IoOptimized) {
		problems = append(problems, oneOf("IoOptimized", s.IoOptimized, []string{"optimized", "none"}))
	}

	return errors.Join(problems...)
}

func (s *providerSpec) validateTags() error {
	problems := []error{checkTags(s.Tags)}

	for _, prefix := range []string{clusterTagPrefix, roleTagPrefix} {
		if len(tagsUnder(s.Tags, prefix)) == 0 {
			problems = append(problems, fmt.Errorf("tags: there is none of the form %s<name>, by which its machines are found again", prefix))
		}
	}

	return errors.Join(problems...)
}

// ownership returns the tags that every machine of the class's cluster and role
// carries, and no other machine.
func (s *providerSpec) ownership() map[string]string {
	tags := tagsUnder(s.Tags, clusterTagPrefix)
	for key, value := range tagsUnder(s.Tags, roleTagPrefix) {
		tags[key] = value
	}

	return tags
}

// tagsUnder returns the tags whose keys have the prefix and more.
func tagsUnder(tags map[string]string, prefix string) map[string]string {
	found := map[string]string{}

	for key, value := range tags {
		if len(key) > len(prefix) && strings.HasPrefix(key, prefix) {
			found[key] = value
		}
	}

	return found
}

func systemDiskCategories() []string {
	return []string{"cloud", "cloud_auto", "cloud_efficiency", "cloud_essd", "cloud_essd_entry", "cloud_ssd"}
}

func dataDiskCategories() []string {
	return append(systemDiskCategories(), "cloud_regional_disk_auto", ephemeralCategory+"_premium", ephemeralCategory+"_standard")
}

func oneOf(field, value string, allowed []string) error {
	return fmt.Errorf("%s: %q is not one of %s", field, value, strings.Join(allowed, ", "))
}
