package alicloud

import (
	"cmp"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// kbpsOfGbps is how many of the units of DescribeInstanceTypes ("InstanceBandwidthRx")
// are one Gbit/s: they go by 1024, as the published tables do.
const kbpsOfGbps = 1024 * 1000

// misfits names the requirements that a type does not meet; none where it fits.
func (s *RequirementsSpec) misfits(t ecs.InstanceType, imageArchitecture string) []string {
	checks := []struct {
		name string
		fits bool
	}{
		{name: "vcpus", fits: s.VCPUs.has(float64(t.VCPUs))},
		{name: "memory_gib", fits: s.MemoryGiB.has(t.MemoryGiB)},
		{name: "memory_gib_per_vcpu", fits: s.MemoryGiBPerVCPU.has(t.MemoryGiB / float64(max(1, t.VCPUs)))},
		{name: "network_bandwidth_gbps", fits: s.NetworkBandwidthGbps.has(float64(t.BandwidthKbps) / kbpsOfGbps)},
		{name: "architecture", fits: s.fitsArchitecture(architecture(t.CPUArchitecture), imageArchitecture)},
		{name: "families", fits: len(s.Families) == 0 || slices.Contains(s.Families, t.Family)},
		{name: "exclude_families", fits: !slices.Contains(s.ExcludeFamilies, t.Family)},
		{name: "exclude_instance_types", fits: !slices.Contains(s.ExcludeInstanceTypes, t.ID)},
		{name: "burstable", fits: fitsKind(s.Burstable, t.BaselineCredit > 0)},
		{name: "local_disks", fits: fitsKind(s.LocalDisks, t.LocalDisks > 0)},
	}

	var misfits []string

	for _, check := range checks {
		if !check.fits {
			misfits = append(misfits, check.name)
		}
	}

	return append(misfits, s.misfitsOfGPUs(t)...)
}

// fitsArchitecture holds what is not known against nobody, except that a wanted
// architecture has to be told.
func (s *RequirementsSpec) fitsArchitecture(processor, image string) bool {
	return (s.Architecture == "" || s.Architecture == processor) && runsOn(image, processor)
}

// misfitsOfGPUs is misfits for GPUs. A type with a share of a GPU counts none and
// names a model all the same.
func (s *RequirementsSpec) misfitsOfGPUs(t ecs.InstanceType) []string {
	if !s.wantsGPUs() {
		if t.GPUs > 0 || t.GPUModel != "" {
			return []string{"gpus (none is required)"}
		}

		return nil
	}

	var misfits []string

	if t.GPUs == 0 && t.GPUModel == "" || !s.GPUs.has(float64(t.GPUs)) {
		misfits = append(misfits, "gpus")
	}

	if len(s.GPUModels) > 0 && !slices.ContainsFunc(s.GPUModels, func(model string) bool { return strings.EqualFold(model, t.GPUModel) }) {
		misfits = append(misfits, "gpu_models")
	}

	if !s.GPUMemoryGiB.has(t.GPUMemoryGiB) {
		misfits = append(misfits, "gpu_memory_gib")
	}

	return misfits
}

func fitsKind(wanted string, isOne bool) bool {
	switch wanted {
	case kindInclude:
		return true
	case kindOnly:
		return isOne
	default:
		return !isOne
	}
}

// compare orders types: the smallest first, among equals by the list of families, and
// at last by ID, so that the order never depends on the catalogue's.
func (s *RequirementsSpec) compare(a, b ecs.InstanceType) int {
	return cmp.Or(
		cmp.Compare(a.VCPUs, b.VCPUs),
		cmp.Compare(a.MemoryGiB, b.MemoryGiB),
		cmp.Compare(a.GPUs, b.GPUs),
		cmp.Compare(slices.Index(s.Families, a.Family), slices.Index(s.Families, b.Family)),
		strings.Compare(a.ID, b.ID))
}
