package alicloud

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// launchInput returns the launch that the request asks for, or an error that says
// why it can never be one.
func launchInput(request machineops.OperationRequest, spec *ClassSpec) (ecs.RunInstancesInput, error) {
	allocation, offering := request.Allocation, request.Allocation.Offering

	switch {
	case offering.InstanceType == "" || offering.Network == "" || offering.Zone == "":
		return ecs.RunInstancesInput{}, fmt.Errorf("the offering %q lacks its instance type, zone or network", offering.ID)
	case offering.Region != "" && offering.Region != spec.Region:
		return ecs.RunInstancesInput{}, fmt.Errorf("the offering %q is in the region %s, and the class in %s", offering.ID, offering.Region, spec.Region)
	case allocation.UID == "" || request.OperationUID == "":
		return ecs.RunInstancesInput{}, errors.New("the request lacks the UIDs that make its repetition harmless")
	}

	users := usersTags(request, spec)

	input := ecs.RunInstancesInput{
		Region:           spec.Region,
		Zone:             offering.Zone,
		InstanceType:     offering.InstanceType,
		ImageID:          spec.ImageID,
		ImageFamily:      spec.ImageFamily,
		VSwitchID:        offering.Network,
		SecurityGroupIDs: spec.SecurityGroupIDs,
		InstanceName:     allocation.Name,
		HostName:         allocation.HostName,
		UserData:         allocation.UserData,
		PrivateIPAddress: spec.PrivateIP,
		KeyPairName:      spec.KeyPairName,
		RAMRoleName:      spec.RAMRoleName,
		DeploymentSetID:  spec.DeploymentSetID,
		ResourceGroupID:  spec.ResourceGroupID,
		Tags:             launchTags(users, requestIdentity(request)),
		ClientToken:      launchToken(string(allocation.UID), string(request.OperationUID)),
	}

	spec.setDisks(&input)
	spec.setNetwork(&input)
	spec.setOptions(&input)

	if err := spec.setCharge(&input, offering); err != nil {
		return ecs.RunInstancesInput{}, err
	}

	return input, checkLaunch(input, users)
}

func (s *ClassSpec) setDisks(input *ecs.RunInstancesInput) {
	if s.SystemDisk != nil {
		input.SystemDisk = s.SystemDisk.launched()
	}

	for i := range s.DataDisks {
		disk := s.dataDisk(i)
		launched := ecs.DataDisk{Disk: disk.launched(), SnapshotID: disk.SnapshotID, DeleteWithInstance: disk.DeleteWithInstance}

		// Disks of these categories always go with their machine, and ECS wants it left
		// unsaid.
		if strings.HasPrefix(disk.Category, ephemeralCategory) {
			launched.DeleteWithInstance = nil
		}

		input.DataDisks = append(input.DataDisks, launched)
	}
}

func (d DiskSpec) launched() ecs.Disk {
	// Only cloud_auto knows the parameter (RunInstances, "BurstingEnabled"); off is what
	// every other category is without it.
	burst := d.BurstEnabled
	if d.Category != categoryAuto {
		burst = nil
	}

	return ecs.Disk{
		Category:         d.Category,
		SizeGiB:          d.SizeGiB,
		PerformanceLevel: d.PerformanceLevel,
		ProvisionedIOPS:  d.ProvisionedIOPS,
		BurstingEnabled:  burst,
		Encrypted:        d.Encrypted != nil && *d.Encrypted,
		KMSKeyID:         d.KMSKeyID,
	}
}

func (s *ClassSpec) setNetwork(input *ecs.RunInstancesInput) {
	if internet := s.Internet; internet != nil {
		input.InternetMaxBandwidthOut = &internet.BandwidthOutMbps
		input.InternetChargeType = map[string]string{"traffic": "PayByTraffic", "bandwidth": "PayByBandwidth"}[internet.ChargeType]

		if internet.BandwidthInMbps > 0 {
			input.InternetMaxBandwidthIn = &internet.BandwidthInMbps
		}
	}

	if s.IPv6 != nil {
		input.IPv6AddressCount = s.IPv6.AddressCount
	}
}

func (s *ClassSpec) setOptions(input *ecs.RunInstancesInput) {
	if options := s.MetadataOptions; options != nil {
		input.HTTPTokens, input.HTTPEndpoint = options.HTTPTokens, options.HTTPEndpoint
	}

	input.CreditSpecification = map[string]string{"standard": "Standard", "unlimited": "Unlimited"}[s.CreditSpecification]

	if s.SecurityEnhancement != nil {
		input.SecurityEnhancement = map[bool]string{true: "Active", false: "Deactive"}[*s.SecurityEnhancement]
	}
}

func (s *ClassSpec) setCharge(input *ecs.RunInstancesInput, offering v1alpha3.MachineClassOffering) error {
	switch offering.CapacityType {
	case v1alpha3.CapacityTypeOnDemand, "":
	case v1alpha3.CapacityTypeSpot:
		s.setSpot(input)
	case v1alpha3.CapacityTypeSubscription:
		if s.Subscription == nil {
			return fmt.Errorf("the offering %q is a subscription, and the class does not say for how long", offering.ID)
		}

		period, unit, renewal := s.Subscription.asSold()
		input.Subscription = &ecs.Subscription{Period: period, Unit: unit, AutoRenewPeriod: renewal}
	default:
		return fmt.Errorf("the offering %q has the capacity type %q, which this version does not launch", offering.ID, offering.CapacityType)
	}

	// Spot machines never come out of a pool (RunInstances, "PrivatePoolOptions").
	if pool := s.PrivatePool; pool != nil && offering.CapacityType != v1alpha3.CapacityTypeSpot {
		input.PrivatePoolMatch = map[string]string{"open": "Open", "target": "Target", "none": "None"}[pool.MatchCriteria]
		input.PrivatePoolID = pool.ID
	}

	return nil
}

func (s *ClassSpec) setSpot(input *ecs.RunInstancesInput) {
	input.SpotStrategy = spotAtMarketPrice

	if s.Spot == nil {
		return
	}

	if limit := s.Spot.priceLimit(); limit != "" {
		input.SpotStrategy, input.SpotPriceLimit = spotWithPriceLimit, limit
	}

	input.SpotDuration = s.Spot.ProtectionHours
	input.SpotInterruptionBehavior = map[string]string{"terminate": "Terminate", "stop": "Stop"}[s.Spot.Interruption]
}

// usersTags are the class's tags and the allocation's over them.
func usersTags(request machineops.OperationRequest, spec *ClassSpec) map[string]string {
	tags := maps.Clone(spec.Tags)
	if tags == nil {
		tags = map[string]string{}
	}

	for parameter, value := range request.Parameters {
		if key, ok := strings.CutPrefix(parameter, v1alpha3.ParameterTagPrefix); ok {
			tags[key] = value
		}
	}

	return tags
}

// requestIdentity is whose machine the request asks for.
func requestIdentity(request machineops.OperationRequest) driver.MachineIdentity {
	return driver.MachineIdentity{
		Owner:       request.Parameters[v1alpha3.ParameterOwner],
		ClassUID:    string(request.Allocation.ClassUID),
		Allocation:  request.Allocation.Name,
		Fingerprint: request.Parameters[v1alpha3.ParameterFingerprint],
		Claim:       request.Parameters[v1alpha3.ParameterClaim],
	}
}
