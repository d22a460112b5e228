package alicloud

import (
	"errors"
	"fmt"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// advice says what the codes that begin so are about: a quota, or an argument of the
// user's. The first that fits counts.
type advice struct {
	codes []string
	about string
}

// withAdvice adds which quota or which argument a refused launch is about, where the
// code tells.
func withAdvice(err error) error {
	var refused *ecs.Error
	if !errors.As(err, &refused) {
		return err
	}

	list := argumentAdvice()
	if refused.Class == ecs.ClassQuota || refused.Class == ecs.ClassAccount {
		list = quotaAdvice()
	}

	for _, known := range list {
		for _, code := range known.codes {
			if strings.HasPrefix(refused.Code, code) {
				return fmt.Errorf("%w (this is about %s)", err, known.about)
			}
		}
	}

	return err
}

// quotaAdvice names the limits of an account as the Quota Center does.
func quotaAdvice() []advice {
	return []advice{
		{codes: []string{"QuotaExceed.AfterpayInstance"}, about: "the account's quota of pay-as-you-go instances in the region"},
		{codes: []string{"QuotaExceed.PostPaidDisk", "QuotaExceeded.PostpaidDataDiskCapacity"}, about: "the account's quota of pay-as-you-go disks in the region"},
		{codes: []string{"QuotaExceed.PortableCloudDisk"}, about: "the account's quota of data disks in the region"},
		{codes: []string{"QuotaExceeded.PrepayDataDiskCapacity"}, about: "the account's quota of subscribed disks in the region"},
		{codes: []string{"QuotaExceeded.InternetBandwidth"}, about: "the account's quota of public bandwidth in the region; see internet"},
		{codes: []string{"QuotaExceed.Tags", "NumberExceed.Tags"}, about: "the number of tags on one machine; see tags"},
		{codes: []string{"SecurityGroupInstanceLimitExceed"}, about: "the number of machines in one security group; name another one in security_group_ids"},
		{codes: []string{"MaxEniCountExceeded", "EniPerInstanceLimitExceeded"}, about: "the account's quota of network cards"},
		{codes: []string{"MaxEniIpv6IpsCountExceeded"}, about: "the number of IPv6 addresses of a network card; see ipv6"},
		{codes: []string{"QuotaExceeded"}, about: "the number of instances in the VPC of vswitch_ids"},
		{codes: []string{"InvalidAccount.NotSupportSpot", "InvalidSpot"}, about: "spot among capacity_types, which the account may not use"},
	}
}

// argumentAdvice names the class's and the allocation's arguments.
func argumentAdvice() []advice {
	return []advice{
		{codes: []string{"InvalidKeyPairName", "DependencyViolation.WindowsInstance"}, about: "key_pair_name"},
		{codes: []string{"InvalidUser.PassRoleForbidden"}, about: "ram_role_name, for which the permission ram:PassRole on that role is missing"},
		{codes: []string{"InvalidRamRole"}, about: "ram_role_name"},
		{codes: []string{"InvalidSecurityGroup", "JoinedGroupLimitExceed", "AclLimitExceed", "EnterpriseGroupLimited"}, about: "security_group_ids"},
		{codes: []string{"InvalidVSwitch.Ipv6", "InvalidOperation.Ipv6"}, about: "ipv6"},
		{codes: []string{"InvalidPrivateIpAddress", "InvalidIp.", "InvalidIPAddress", "InvalidVSwitchId.IpInvalid", "InvalidOperation.Ipv4"}, about: "private_ip"},
		{codes: []string{"InvalidVSwitch", "OperationDenied.InconsistentNetwork", "VpcNotFound"}, about: "vswitch_ids"},
		{codes: []string{"InvalidImageFamily", "UnexpectedImageFamily"}, about: "image_family"},
		{codes: []string{"InvalidImageId", "InvalidMarketImage", "OperationDenied.ImageNotValid", "ImageNotSupport"}, about: "image_id"},
		{codes: []string{"InvalidSystemDisk", "InvalidDisk.SystemDiskSize"}, about: "system_disk"},
		{codes: []string{"InvalidDataDisk", "InvalidDataDevice", "InstanceDisk", "InvalidSnapshotId", "DeleteWithInstance"}, about: "data_disks"},
		{codes: []string{"InvalidDiskSize", "OperationDenied.PerformanceLevelNotMatch", "InvalidPerformanceLevel"}, about: "system_disk or data_disks"},
		{codes: []string{"InvalidParameter.KMSKeyId", "InvalidParameter.Encrypted", "EncryptedOption"}, about: "encrypted and kms_key_id of the disks"},
		{codes: []string{"InvalidSpot"}, about: "spot"},
		{codes: []string{"InvalidPeriod", "InvalidAutoRenewPeriod"}, about: "subscription"},
		{codes: []string{"InvalidInternet"}, about: "internet"},
		{codes: []string{"InvalidHttp"}, about: "metadata_options"},
		{codes: []string{"InvalidDeploymentSet", "DeploymentSet"}, about: "deployment_set_id"},
		{codes: []string{"InvalidResourceGroup"}, about: "resource_group_id"},
		{codes: []string{"MissingParameter.PrivatePool", "Invalid.PrivatePool"}, about: "private_pool"},
		{codes: []string{"InvalidParameter.CreditSpecification"}, about: "credit_specification"},
		{codes: []string{"InvalidTag", "Duplicate.TagKey"}, about: "tags"},
		{codes: []string{"InvalidHostName", "HOSTNAME_ILLEGAL"}, about: "host_name"},
		{codes: []string{"InvalidInstanceName"}, about: "name"},
		{codes: []string{"InvalidUserData"}, about: "user_data_wo"},
	}
}
