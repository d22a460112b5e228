package alicloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ConfigKey is the key of ProviderConfig.Data under which a class's JSON stands.
const ConfigKey = "alicloud"

// ClassSpec is a machine class as this driver reads it: where machines may run and
// what they are made of.
type ClassSpec struct {
	Region string `json:"region"`
	// ImageID or ImageFamily names the image; exactly one of them is set.
	ImageID     string `json:"image_id,omitempty"`
	ImageFamily string `json:"image_family,omitempty"`
	// InstanceTypes, CapacityTypes and VSwitchIDs are tried in order.
	InstanceTypes    []string          `json:"instance_types"`
	CapacityTypes    []string          `json:"capacity_types,omitempty"`
	VSwitchIDs       []string          `json:"vswitch_ids"`
	SecurityGroupIDs []string          `json:"security_group_ids"`
	SystemDisk       *DiskSpec         `json:"system_disk,omitempty"`
	KeyPairName      string            `json:"key_pair_name,omitempty"`
	RAMRoleName      string            `json:"ram_role_name,omitempty"`
	Tags             map[string]string `json:"tags,omitempty"`
}

// DiskSpec is one disk. Zero fields are left to ECS.
type DiskSpec struct {
	Category         string `json:"category,omitempty"`
	SizeGiB          int64  `json:"size_gib,omitempty"`
	PerformanceLevel string `json:"performance_level,omitempty"`
}

func decodeClass(config machineops.ProviderConfig) (*ClassSpec, error) {
	text, ok := config.Data[ConfigKey]
	if !ok {
		return nil, invalid(fmt.Errorf("the class has no %s configuration", ConfigKey))
	}

	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()

	var spec ClassSpec
	if err := decoder.Decode(&spec); err != nil {
		return nil, invalid(fmt.Errorf("reading the class's %s configuration: %w", ConfigKey, err))
	}

	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, invalid(fmt.Errorf("the class's %s configuration has text after its end", ConfigKey))
	}

	if err := spec.validate(); err != nil {
		return nil, invalid(err)
	}

	if len(spec.CapacityTypes) == 0 {
		spec.CapacityTypes = []string{string(v1alpha3.CapacityTypeOnDemand)}
	}

	return &spec, nil
}

func (s *ClassSpec) validate() error {
	switch {
	case s.Region == "":
		return errors.New("region is not set, neither in the class nor in the provider")
	case !regionPattern.MatchString(s.Region):
		return fmt.Errorf("region: %q is not a region ID such as cn-hangzhou", s.Region)
	case (s.ImageID == "") == (s.ImageFamily == ""):
		return errors.New("exactly one of image_id and image_family has to be set")
	}

	lists := []struct {
		name     string
		values   []string
		optional bool
	}{
		{name: "instance_types", values: s.InstanceTypes},
		{name: "vswitch_ids", values: s.VSwitchIDs},
		{name: "security_group_ids", values: s.SecurityGroupIDs},
		{name: "capacity_types", values: s.CapacityTypes, optional: true},
	}

	for _, list := range lists {
		if err := validateList(list.name, list.values, list.optional); err != nil {
			return err
		}
	}

	for _, capacityType := range s.CapacityTypes {
		switch v1alpha3.CapacityType(capacityType) {
		case v1alpha3.CapacityTypeOnDemand, v1alpha3.CapacityTypeSpot:
		default:
			return fmt.Errorf("capacity_types: %q is not one of on_demand, spot", capacityType)
		}
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
		case value == "":
			return fmt.Errorf("%s has an empty element", name)
		case known[value]:
			return fmt.Errorf("%s names %q twice", name, value)
		}

		known[value] = true
	}

	return nil
}

func invalid(err error) error {
	return &machineops.PermanentError{Reason: v1alpha3.ReasonInvalidConfiguration, Err: err}
}
