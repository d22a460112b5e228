package alicloud

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// mostUserTags leaves room for this provider's own in the 20 of ECS.
	mostUserTags = 12
	// mostSecurityGroups is the most that any account's quota allows a network card;
	// where the account's own is lower, the launch tells.
	mostSecurityGroups = 16
	mostIPv6Addresses  = 10
)

// validate returns one error that names every problem with its field.
func (s *ClassSpec) validate() error {
	if err := s.validatePlace(); err != nil {
		return err
	}

	return errors.Join(
		s.validateLists(), s.validateRequirements(), s.validateOrders(), s.validateSpot(), s.validateSubscription(), s.validateSystemDisk(), s.validateDataDisks(),
		s.validateNetwork(), s.validateOptions(), s.validatePrivatePool(), s.validateTags())
}

func (s *ClassSpec) validatePlace() error {
	switch {
	case s.Region == "":
		return errors.New("region is not set, neither in the class nor in the provider")
	case !regionPattern.MatchString(s.Region):
		return fmt.Errorf("region: %q is not a region ID such as cn-hangzhou", s.Region)
	case (s.ImageID == "") == (s.ImageFamily == ""):
		return errors.New("exactly one of image_id and image_family has to be set")
	case len(s.InstanceTypes) > 0 && s.Requirements != nil:
		return errors.New("instance_types and requirements are both set; they are two ways to say the same")
	}

	return nil
}

func (s *ClassSpec) validateLists() error {
	lists := []struct {
		name     string
		values   []string
		optional bool
	}{
		{name: "instance_types", values: s.InstanceTypes, optional: s.Requirements != nil},
		{name: "vswitch_ids", values: s.VSwitchIDs},
		{name: "security_group_ids", values: s.SecurityGroupIDs},
		{name: "capacity_types", values: s.CapacityTypes, optional: true},
	}

	var problems []error

	for _, list := range lists {
		problems = append(problems, validateList(list.name, list.values, list.optional))
	}

	if count := len(s.SecurityGroupIDs); count > mostSecurityGroups {
		problems = append(problems, fmt.Errorf("security_group_ids: %d are more than %d, the most that a network card can be in", count, mostSecurityGroups))
	}

	for _, capacityType := range s.CapacityTypes {
		problems = append(problems, checkWord("capacity_types", capacityType, capacityTypeNames()))
	}

	return errors.Join(problems...)
}

func (s *ClassSpec) validateOrders() error {
	return errors.Join(
		checkWord("type_order", s.TypeOrder, []string{typeOrderListed, typeOrderCheapest}),
		checkWord("zone_order", s.ZoneOrder, []string{zoneOrderSpread, zoneOrderListed}))
}

func (s *ClassSpec) validateNetwork() error {
	var problems []error

	if internet := s.Internet; internet != nil {
		problems = append(problems, checkWord("internet.charge_type", internet.ChargeType, []string{"traffic", "bandwidth"}))

		// RunInstances, "InternetMaxBandwidthIn": 1 to 10 up to 10 Mbit/s out, else 1
		// to what goes out.
		out, in := internet.BandwidthOutMbps, internet.BandwidthInMbps
		if out < 1 || out > largestBandwidth {
			problems = append(problems, fmt.Errorf("internet.bandwidth_out_mbps: %d is not between 1 and %d", out, largestBandwidth))
		} else if most := max(out, 10); in < 0 || in > most {
			problems = append(problems, fmt.Errorf("internet.bandwidth_in_mbps: %d is not between 1 and %d, the most with %d out", in, most, out))
		}
	}

	if s.IPv6 != nil && (s.IPv6.AddressCount < 1 || s.IPv6.AddressCount > mostIPv6Addresses) {
		problems = append(problems, fmt.Errorf("ipv6.address_count: %d is not between 1 and %d", s.IPv6.AddressCount, mostIPv6Addresses))
	}

	return errors.Join(problems...)
}

func (s *ClassSpec) validateOptions() error {
	problems := []error{checkWord("credit_specification", s.CreditSpecification, []string{"standard", "unlimited"})}

	if options := s.MetadataOptions; options != nil {
		problems = append(problems,
			checkWord("metadata_options.http_tokens", options.HTTPTokens, []string{"optional", "required"}),
			checkWord("metadata_options.http_endpoint", options.HTTPEndpoint, []string{"enabled", "disabled"}))
	}

	return errors.Join(problems...)
}

func (s *ClassSpec) validatePrivatePool() error {
	pool := s.PrivatePool
	if pool == nil {
		return nil
	}

	switch {
	case pool.MatchCriteria == "":
		return errors.New("private_pool.match_criteria: it is not set")
	case pool.MatchCriteria == "target" && pool.ID == "":
		return errors.New("private_pool.id: it is not set, and match_criteria target needs it")
	case pool.MatchCriteria != "target" && pool.ID != "":
		return fmt.Errorf("private_pool.id: it is set, and match_criteria %s takes none", pool.MatchCriteria)
	}

	return checkWord("private_pool.match_criteria", pool.MatchCriteria, []string{"open", "target", "none"})
}

func (s *ClassSpec) validateTags() error {
	if count := len(s.Tags); count > mostUserTags {
		return fmt.Errorf("tags: %d are more than %d; ECS allows 20 in all, and this provider needs the others for its own", count, mostUserTags)
	}

	return checkTags(s.Tags)
}

func validateList(name string, values []string, optional bool) error {
	if len(values) == 0 && !optional {
		return fmt.Errorf("%s is empty", name)
	}

	known := map[string]bool{}

	for _, value := range values {
		switch {
		case value == "" || strings.TrimSpace(value) != value:
			return fmt.Errorf("%s has an element that is empty or begins or ends with a blank: %q", name, value)
		case known[value]:
			return fmt.Errorf("%s names %q twice", name, value)
		}

		known[value] = true
	}

	return nil
}

// checkWord takes the words, and nothing where the field is left out.
func checkWord(field, value string, words []string) error {
	if value == "" || slices.Contains(words, value) {
		return nil
	}

	return oneOf(field, value, words)
}
