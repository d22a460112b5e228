package ecsemulator

import "slices"

const describeInstanceTypesParameters = `
string: AdditionalAttributes.N CpuArchitecture CpuArchitectures.N GPUSpec GpuSpecs.N InstanceCategories.N
string: InstanceCategory InstanceFamilyLevel InstanceTypeFamilies.N InstanceTypeFamily InstanceTypes.N
string: LocalStorageCategories.N LocalStorageCategory NextToken NvmeSupport PhysicalProcessorModel
string: PhysicalProcessorModels.N
integer: MaxResults MaximumCpuCoreCount MaximumGPUAmount MinimumBaselineCredit MinimumCpuCoreCount
integer: MinimumDiskQuantity MinimumEniIpv6AddressQuantity MinimumEniPrivateIpAddressQuantity
integer: MinimumEniQuantity MinimumEriQuantity MinimumGPUAmount MinimumInitialCredit
integer: MinimumInstanceBandwidthRx MinimumInstanceBandwidthTx MinimumInstancePpsRx MinimumInstancePpsTx
integer: MinimumLocalStorageAmount MinimumLocalStorageCapacity MinimumPrimaryEniQueueNumber
integer: MinimumQueuePairNumber MinimumSecondaryEniQueueNumber
boolean: SupportHotModify
number: MaximumCpuSpeedFrequency MaximumCpuTurboFrequency MaximumMemorySize MinimumCpuSpeedFrequency
number: MinimumCpuTurboFrequency MinimumMemorySize
`

type describeInstanceTypesAnswer struct {
	NextToken     string
	InstanceTypes struct{ InstanceType []instanceTypeAnswer }
}

type instanceTypeAnswer struct {
	InstanceTypeID              string `json:"InstanceTypeId"`
	InstanceTypeFamily          string
	InstanceCategory            string
	InstanceFamilyLevel         string
	CPUCoreCount                int `json:"CpuCoreCount"`
	MemorySize                  float64
	CPUArchitecture             string `json:"CpuArchitecture"`
	GPUAmount                   int
	GPUSpec                     string
	GPUMemorySize               float64
	EniQuantity                 int
	EniTotalQuantity            int
	EniPrivateIPAddressQuantity int `json:"EniPrivateIpAddressQuantity"`
	EniIPv6AddressQuantity      int `json:"EniIpv6AddressQuantity"`
	EniTrunkSupported           bool
	InstanceBandwidthRx         int
	InstanceBandwidthTx         int
	InstancePpsRx               int64
	InstancePpsTx               int64
	DiskQuantity                int
	LocalStorageAmount          int
	LocalStorageCapacity        int64
	LocalStorageCategory        string
	BaselineCredit              int
	NvmeSupport                 string
}

func describeInstanceTypes() *action {
	a := ecsAction("DescribeInstanceTypes", describeInstanceTypesParameters, func(c *call) (any, *APIError) {
		wanted := c.list("InstanceTypes")
		if len(wanted) > 10 {
			return nil, invalidParameter("InstanceTypes")
		}
		var found []*InstanceType
		var keys []string
		types := c.server.options.Catalogue.InstanceTypes
		for n := range types {
			t := &types[n]
			if (len(wanted) == 0 || slices.Contains(wanted, t.ID)) && c.fitType(t) {
				found, keys = append(found, t), append(keys, t.ID)
			}
		}
		page, refusal := c.pageByToken(keys, 1, 100, 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeInstanceTypesAnswer{NextToken: page.nextToken}
		answer.InstanceTypes.InstanceType = []instanceTypeAnswer{}
		for _, t := range found[page.first:page.end] {
			answer.InstanceTypes.InstanceType = append(answer.InstanceTypes.InstanceType, t.answer())
		}
		return answer, nil
	})
	a.anyRegion = true
	return a
}

// fitType applies the filters. A type that no zone of the region has is not in the region.
func (c *call) fitType(t *InstanceType) bool {
	if c.region != nil && !slices.ContainsFunc(c.region.Zones, t.soldIn) {
		return false
	}
	return c.fitTypeNames(t) && c.fitTypeNumbers(t)
}

func (c *call) fitTypeNames(t *InstanceType) bool {
	for _, filter := range []struct{ one, list, value string }{
		{"InstanceTypeFamily", "InstanceTypeFamilies", t.Family},
		{"CpuArchitecture", "CpuArchitectures", t.Architecture},
		{"GPUSpec", "GpuSpecs", t.GPUModel},
		{"InstanceCategory", "InstanceCategories", t.Category},
		{"InstanceFamilyLevel", "InstanceFamilyLevel", t.Level},
		{"LocalStorageCategory", "LocalStorageCategories", t.LocalDiskCategory},
		{"NvmeSupport", "NvmeSupport", t.nvmeSupport()},
	} {
		values := c.list(filter.list)
		if c.has(filter.one) && c.string(filter.one) != filter.value || len(values) > 0 && !slices.Contains(values, filter.value) {
			return false
		}
	}
	return true
}

func (c *call) fitTypeNumbers(t *InstanceType) bool {
	for name, value := range map[string]float64{
		"CpuCoreCount":                float64(t.VCPUs),
		"MemorySize":                  t.MemoryGiB,
		"GPUAmount":                   float64(t.GPUs),
		"EniQuantity":                 float64(t.NetworkInterfaces),
		"EniPrivateIpAddressQuantity": float64(t.PrivateAddressesPerInterface),
		"EniIpv6AddressQuantity":      float64(t.ipv6Addresses()),
		"DiskQuantity":                float64(t.Disks),
		"LocalStorageAmount":          float64(t.LocalDisks),
		"LocalStorageCapacity":        float64(t.LocalDiskGiB),
		"BaselineCredit":              float64(t.BaselineCredit),
		"InstanceBandwidthRx":         float64(t.BandwidthKbps),
		"InstanceBandwidthTx":         float64(t.BandwidthKbps),
		"InstancePpsRx":               float64(t.PacketsPerSecond),
		"InstancePpsTx":               float64(t.PacketsPerSecond),
	} {
		if value < c.number("Minimum"+name, value) || value > c.number("Maximum"+name, value) {
			return false
		}
	}
	return true
}

func (t *InstanceType) nvmeSupport() string {
	if t.LocalDisks > 0 {
		return "required"
	}
	return "unsupported"
}

func (t *InstanceType) ipv6Addresses() int {
	return orDefault(t.IPv6AddressesPerInterface, t.PrivateAddressesPerInterface)
}

func (t *InstanceType) answer() instanceTypeAnswer {
	return instanceTypeAnswer{
		InstanceTypeID: t.ID, InstanceTypeFamily: t.Family, InstanceCategory: t.Category, InstanceFamilyLevel: t.Level,
		CPUCoreCount: t.VCPUs, MemorySize: t.MemoryGiB, CPUArchitecture: t.Architecture, GPUAmount: t.GPUs, GPUSpec: t.GPUModel,
		GPUMemorySize: t.GPUMemoryGiB, EniQuantity: t.NetworkInterfaces, EniTotalQuantity: t.NetworkInterfaces,
		EniPrivateIPAddressQuantity: t.PrivateAddressesPerInterface, EniIPv6AddressQuantity: t.ipv6Addresses(),
		InstanceBandwidthRx: t.BandwidthKbps, InstanceBandwidthTx: t.BandwidthKbps, InstancePpsRx: t.PacketsPerSecond,
		InstancePpsTx: t.PacketsPerSecond, DiskQuantity: t.Disks, LocalStorageAmount: t.LocalDisks, LocalStorageCapacity: t.LocalDiskGiB,
		LocalStorageCategory: t.LocalDiskCategory, BaselineCredit: t.BaselineCredit, NvmeSupport: t.nvmeSupport(),
	}
}
