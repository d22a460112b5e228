package alicloud

import (
	"errors"
	"fmt"
)

// How a kind of types counts among those that requirements choose.
const (
	kindExclude = "exclude"
	kindInclude = "include"
	kindOnly    = "only"
)

func (s *ClassSpec) validateRequirements() error {
	wants := s.Requirements
	if wants == nil {
		return nil
	}

	kinds := []string{kindExclude, kindInclude, kindOnly}
	problems := []error{
		checkWord("requirements.architecture", wants.Architecture, []string{architectureX86, architectureARM}),
		checkWord("requirements.burstable", wants.Burstable, kinds),
		checkWord("requirements.local_disks", wants.LocalDisks, kinds),
		validateList("requirements.gpu_models", wants.GPUModels, true),
		validateList("requirements.families", wants.Families, true),
		validateList("requirements.exclude_families", wants.ExcludeFamilies, true),
		validateList("requirements.exclude_instance_types", wants.ExcludeInstanceTypes, true),
	}

	for _, field := range []struct {
		name  string
		value *RangeSpec
	}{
		{name: "vcpus", value: wants.VCPUs},
		{name: "memory_gib", value: wants.MemoryGiB},
		{name: "memory_gib_per_vcpu", value: wants.MemoryGiBPerVCPU},
		{name: "gpus", value: wants.GPUs},
		{name: "gpu_memory_gib", value: wants.GPUMemoryGiB},
		{name: "network_bandwidth_gbps", value: wants.NetworkBandwidthGbps},
	} {
		problems = append(problems, field.value.validate("requirements."+field.name))
	}

	return errors.Join(problems...)
}

func (r *RangeSpec) validate(field string) error {
	switch {
	case r == nil:
		return nil
	case r.Min == nil && r.Max == nil:
		return fmt.Errorf("%s: neither min nor max is set", field)
	case r.Min != nil && *r.Min < 0:
		return fmt.Errorf("%s.min: %g is negative", field, *r.Min)
	case r.Max != nil && *r.Max < 0:
		return fmt.Errorf("%s.max: %g is negative", field, *r.Max)
	case r.Min != nil && r.Max != nil && *r.Min > *r.Max:
		return fmt.Errorf("%s: min %g is more than max %g", field, *r.Min, *r.Max)
	}

	return nil
}

// has reports whether the range holds the value. Nil holds all.
func (r *RangeSpec) has(value float64) bool {
	return r == nil || (r.Min == nil || value >= *r.Min) && (r.Max == nil || value <= *r.Max)
}

// wantsGPUs reports whether the requirements choose types with GPUs.
func (s *RequirementsSpec) wantsGPUs() bool {
	return s.GPUs != nil || len(s.GPUModels) > 0 || s.GPUMemoryGiB != nil
}
