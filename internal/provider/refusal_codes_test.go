package provider_test

// answerCode is one code that ECS may answer a launch with.
type answerCode struct {
	code   string
	status int
	// message is what the code alone does not say.
	message string
}

// capacityCodes say that a launch has to be tried elsewhere.
func capacityCodes() []answerCode {
	return []answerCode{
		{code: "OperationDenied.NoStock", status: 403},
		{code: "OperationDenied", status: 403, message: "The resource is out of usage."},
		{code: "OperationDenied", status: 403, message: "Sales of this resource are temporarily suspended in the zone."},
		{code: "OperationDenied", status: 400, message: "The type or the zone is not available or not authorized."},
		{code: "NoInstanceStock", status: 403},
		{code: "ResourceNotAvailable", status: 400},
		{code: "LackResource", status: 400},
		{code: "Zone.NotOnSale", status: 403},
		{code: "Zone.NotOpen", status: 403},
		{code: "InvalidResourceType.NotSupported", status: 403},
		{code: "InvalidInstanceType.ZoneNotSupported", status: 403},
		{code: "InvalidInstanceType.NotSupported", status: 403},
		{code: "InvalidInstanceType.ValueNotSupported", status: 400},
		{code: "InvalidInstanceType.ValueUnauthorized", status: 400},
		{code: "InstanceType.Offline", status: 403},
		{code: "OperationDenied.ZoneNotAllowed", status: 403},
		{code: "InvalidVpcZone.NotSupported", status: 400},
		{code: "OperationDenied.PaygNotAvailable", status: 403},
		{code: "OperationDenied.PrepayNotAvailable", status: 403},
		{code: "OperationDenied.RegionIdNotSupported", status: 403},
		{code: "OperationDenied.FlavorNotSupported", status: 403},
		{code: "OperationDenied.TimestampNotSupported", status: 403},
		{code: "QuotaExceed.DiskCapacity", status: 400},
		{code: "OperationDenied.ZoneSystemCategoryNotMatch", status: 403},
		{code: "OperationDenied.CloudSSDNotSupported", status: 403},
		{code: "CategoryNotSupported", status: 403},
		{code: "InvalidDiskCategory.NotSupported", status: 403},
		{code: "InvalidInstanceType.NotSupportDiskCategory", status: 403},
		{code: "InvalidSystemDiskCategory.ValueNotSupported", status: 400},
		{code: "InvalidDataDiskCategory.ValueNotSupported", status: 400},
		{code: "InvalidDataDiskCategory.NotSupported", status: 403},
		{code: "InvalidDiskCategory.ValueNotSupported", status: 400},
		{code: "InvalidDiskCategory.Mismatch", status: 403},
		{code: "InvalidPerformanceLevel.ValueNotSupported", status: 400},
		{code: "InvalidSystemDiskCategory.ValueUnauthorized", status: 403},
		{code: "InvalidZoneId.NotSupportShareEncryptedImage", status: 400},
		{code: "InvalidZoneId.NotSupportCreateWithShareEncryptedImage", status: 400},
		{code: "NotSupportSnapshotEncrypted.ZoneId", status: 400},
		{code: "NotSupportSnapshotEncrypted.InstanceType", status: 400},
		{code: "InvalidParameter.EncryptedNotSupported", status: 400},
		{code: "InvalidOperation.PublicIpAddressNoStock", status: 403},
		{code: "NoAvaliableDedicatedHost", status: 400},
		{code: "InvalidDedicatedHost.NotEnoughResource", status: 400},
		{code: "DedicatedHostType.Unmatched", status: 400},
		{code: "ResourcesNotInSameZone", status: 403},
		{code: "Invalid.PrivatePoolOptions.NoStock", status: 400},
		{code: "InvalidStorageClusterId.CapacityNotEnough", status: 400},
		{code: "InvalidDestinationZone.DeploymentSetMismatch", status: 400},
		{code: "QuotaExceed.DeploymentSetInstanceQuotaFull", status: 403},
		{code: "DeploymentSet.NoRoom", status: 403},
		{code: "InvalidSpotPriceLimit.LowerThanPublicPrice", status: 400},
		{code: "OperationDenied.SpotPriceLowerThanPublicPrice", status: 403},
		{code: "QuotaExceed.ElasticQuota", status: 403},
		{code: "IoOptimized.NotSupported", status: 403},
		{code: "ImageNotSupportInstanceType", status: 403},
		{code: "InvalidParameter.Conflict", status: 400, message: "The specified image does not support the specified instance type."},
		{code: "InvalidInstanceType.ElasticNetworkInterfaceNotSupported", status: 400},
		{code: "InvalidHpcClusterId.Unnecessary", status: 400},
		{code: "InvalidHpcClusterId.Necessary", status: 400},
		// Not listed, but named as others of the kind are; a status says nothing of it.
		{code: "OperationDenied.SomethingNew.NoStock", status: 403},
		{code: "OperationDenied.NoStock", status: 500},
	}
}

// fullNetworkCodes say that a vSwitch has no free address, whatever the type.
func fullNetworkCodes() []answerCode {
	return []answerCode{
		{code: "QuotaExceeded.PrivateIpAddress", status: 403},
		{code: "InvalidVSwitchId.IpNotEnough", status: 403},
		{code: "OperationDenied.NoVlan", status: 400},
	}
}

// quotaCodes say that the account has no more of something.
func quotaCodes() []answerCode {
	return []answerCode{
		{code: "QuotaExceed.AfterpayInstance", status: 400},
		{code: "QuotaExceeded", status: 400},
		{code: "QuotaExceed.PostPaidDisk", status: 403},
		{code: "QuotaExceed.PortableCloudDisk", status: 403},
		{code: "QuotaExceeded.PostpaidDataDiskCapacity", status: 403},
		{code: "QuotaExceeded.PrepayDataDiskCapacity", status: 400},
		{code: "QuotaExceeded.InternetBandwidth", status: 400},
		{code: "QuotaExceed.Tags", status: 403},
		{code: "OperationDenied.QuotaExceed", status: 400},
		{code: "NumberExceed.Tags", status: 400},
		{code: "SecurityGroupInstanceLimitExceed", status: 403},
		{code: "MaxEniCountExceeded", status: 403},
		{code: "EniPerInstanceLimitExceeded", status: 403},
		{code: "MaxEniIpv6IpsCountExceeded", status: 403},
		{code: "QuotaExceed.SomethingNew", status: 403},
	}
}

// accountCodes need somebody who acts on the account.
func accountCodes() []answerCode {
	return []answerCode{
		{code: "QuotaExceed.BuyImage", status: 403},
		{code: "Account.Arrearage", status: 400},
		{code: "InsufficientBalance", status: 403},
		{code: "InvalidAccountStatus.NotEnoughBalance", status: 403},
		{code: "InsufficientBalance.AgentCredit", status: 400},
		{code: "InvalidAccountStatus.PayAmountLimitExceeded", status: 400},
		{code: "InvalidAccountStatus", status: 403},
		{code: "InvalidPayMethod", status: 403},
		{code: "SecurityRisk.3DVerification", status: 403},
		{code: "RealNameAuthenticationError", status: 403},
		{code: "Forbidden.RiskControl", status: 403},
		{code: "PaymentMethodNotFound", status: 404},
		{code: "AccountForbidden.ProductCreationLimited", status: 400},
		{code: "RegionUnauthorized", status: 403},
		{code: "UserNotInTheWhiteList", status: 403},
		{code: "InvalidOperation.UserNotSupported", status: 400},
		{code: "InvalidOperation.NotInWhiteList", status: 403},
		{code: "InvalidInstance.UnPaidOrder", status: 403},
		{code: "OperationDenied.UnpaidOrder", status: 403},
		{code: "OperationDenied.TestAccountRetricted", status: 400},
		{code: "ImageNotSubscribed", status: 403},
		{code: "ImageRemovedInMarket", status: 403},
	}
}

// permissionCodes need another policy.
func permissionCodes() []answerCode {
	return []answerCode{
		{code: "Forbidden.RAM", status: 403},
		{code: "Forbidden.Unauthorized", status: 403},
		{code: "Forbidden.SubUser", status: 403},
		{code: "Forbidden.NotSupportRAM", status: 403},
		{code: "Forbidden.SomethingNew", status: 403},
		{code: "NoPermission", status: 403},
		{code: "NoPermission.Tag", status: 403},
		{code: "NoPermission.SystemTag", status: 400},
		{code: "Forbbiden", status: 403},
		{code: "InvalidUser.PassRoleForbidden", status: 403},
		{code: "InvalidRamRole.NotEcsRole", status: 401},
	}
}

// configurationCodes need another configuration.
func configurationCodes() []answerCode {
	return append(namedThingCodes(), malformedCodes()...)
}

// namedThingCodes are of what does not exist, or does not go together.
func namedThingCodes() []answerCode {
	return []answerCode{
		{code: "InvalidImageId.NotFound", status: 404},
		{code: "InvalidMarketImage.NotFound", status: 404},
		{code: "OperationDenied.ImageNotValid", status: 403},
		{code: "InvalidImageFamily.MissingAvailableImage", status: 403},
		{code: "UnexpectedImageFamily.ImageIdSupplied", status: 400},
		{code: "ImageNotSupportCloudInit", status: 400},
		{code: "InvalidVSwitchId.NotFound", status: 404},
		{code: "InvalidVSwitchId.NotExist", status: 403},
		{code: "VpcNotFound", status: 400},
		{code: "InvalidSecurityGroupId", status: 404},
		{code: "InvalidSecurityGroupId.NotFound", status: 404},
		{code: "InvalidSecurityGroup.NotInDefaultVpc", status: 400},
		{code: "OperationDenied.InconsistentNetwork", status: 403},
		{code: "InvalidKeyPairName.NotFound", status: 404},
		{code: "InvalidRamRole.NotFound", status: 404},
		{code: "InvalidZoneId.NotFound", status: 404},
		{code: "InvalidResourceGroup.NotFound", status: 404},
		{code: "DeploymentSet.NotFound", status: 404},
		{code: "InvalidDeploymentSetId.NotFound", status: 400},
		{code: "InvalidSnapshotId.NotFound", status: 400},
		{code: "InvalidInstanceChargeType.NotFound", status: 404},
		{code: "InvalidParameter.KMSKeyId.NotFound", status: 404},
		{code: "InvalidParameter.KMSKeyId.CMKNotEnabled", status: 403},
		{code: "EncryptedOption.Conflict", status: 400},
		{code: "JoinedGroupLimitExceed", status: 400},
		{code: "AclLimitExceed", status: 403},
		{code: "EnterpriseGroupLimited.MutliGroupType", status: 403},
		{code: "InvalidVSwitch.Ipv6NotTurnOn", status: 403},
		{code: "InvalidNetworkType.Mismatch", status: 400},
		{code: "Invalid.PrivatePoolOptionsId", status: 400},
		{code: "DependencyViolation.WindowsInstance", status: 403},
	}
}

// malformedCodes are of values that ECS does not take.
func malformedCodes() []answerCode {
	return []answerCode{
		{code: "InvalidParameter", status: 400},
		{code: "InvalidParameter.Bandwidth", status: 400},
		{code: "InvalidParameter.Mismatch", status: 400},
		{code: "InvalidParameter.Combination", status: 400},
		{code: "MissingParameter", status: 400},
		{code: "MissingParamter", status: 400},
		{code: "MissingParameter.PrivatePoolOptionsId", status: 400},
		{code: "InvalidClientToken.ValueNotSupported", status: 400},
		{code: "InstanceDiskNumber.LimitExceed", status: 400},
		{code: "InstanceDiskCategoryLimitExceed", status: 403},
		{code: "InvalidParameter.CreditSpecification", status: 400},
		{code: "InvalidHostName.Malformed", status: 400},
		{code: "InvalidInstanceName.Malformed", status: 400},
		{code: "InvalidUserData.SizeExceeded", status: 400},
		{code: "InvalidUserData.Base64FormatInvalid", status: 400},
		{code: "InvalidUserData.Forbidden", status: 403},
		{code: "InvalidSystemDiskSize", status: 404},
		{code: "InvalidSystemDiskSize.LessThanImageSize", status: 404},
		{code: "InvalidSystemDiskSize.LessThanMinSize", status: 404},
		{code: "InvalidSystemDiskSize.MoreThanMaxSize", status: 404},
		{code: "InvalidSystemDiskSize.ValueNotSupported", status: 400},
		{code: "InvalidDataDiskSize.ValueNotSupported", status: 400},
		{code: "InvalidDiskSize.TooSmall", status: 403},
		{code: "OperationDenied.PerformanceLevelNotMatch", status: 403},
		{code: "InvalidTagKey.Malformed", status: 400},
		{code: "InvalidTagValue.Malformed", status: 400},
		{code: "InvalidSpotStrategy", status: 400},
		{code: "InvalidSpotPriceLimit", status: 400},
		{code: "InvalidSpotDuration", status: 400},
		{code: "InvalidSpotInterruptionBehavior", status: 400},
		{code: "InvalidPeriod", status: 400},
		{code: "InvalidAutoRenewPeriod.ValueNotSupported", status: 400},
		{code: "InvalidInternetChargeType.ValueNotSupported", status: 400},
		{code: "InvalidChargeType.ValueNotSupported", status: 403},
		{code: "InvalidInternetMaxBandwidthOut.Malformed", status: 400},
		{code: "InvalidHttpTokens.NotSupported", status: 400},
		{code: "InvalidHttpEndpoint.NotSupported", status: 400},
		{code: "UnsupportedParameter", status: 400},
		{code: "SomethingEntirelyNew", status: 400},
	}
}
