package ecs

func quotaRules() []codeRule {
	return []codeRule{
		{codes: []string{
			"QuotaExceed.AfterpayInstance", "QuotaExceeded", "QuotaExceed.PostPaidDisk", "QuotaExceed.PortableCloudDisk",
			"QuotaExceeded.PostpaidDataDiskCapacity", "QuotaExceeded.PrepayDataDiskCapacity", "QuotaExceeded.InternetBandwidth", "QuotaExceed.Tags",
			"OperationDenied.QuotaExceed", "NumberExceed.Tags", "SecurityGroupInstanceLimitExceed",
		}, class: ClassQuota},
		{codes: []string{"MaxEniCountExceeded", "EniPerInstanceLimitExceeded", "MaxEniIpv6IpsCountExceeded"}, class: ClassQuota, scopes: ScopeType},
	}
}

func accountRules() []codeRule {
	return []codeRule{
		{codes: []string{"OperationDenied.CashCouponsInsufficientOrExpired"}, class: ClassAccount, retries: 1},
		{codes: []string{"InvalidAccount.NotSupportSpot", "InvalidSpotAliUid", "InvalidSpotAuthorized"}, class: ClassAccount, scopes: ScopeSpot},
		{codes: []string{
			"QuotaExceed.BuyImage", "Account.Arrearage", "InsufficientBalance", "InvalidAccountStatus.NotEnoughBalance", "InsufficientBalance.AgentCredit",
			"InvalidAccountStatus.PayAmountLimitExceeded", "InvalidAccountStatus", "InvalidPayMethod", "SecurityRisk.3DVerification",
			"RealNameAuthenticationError", "Forbidden.RiskControl", "PaymentMethodNotFound", "AccountForbidden.*", "RegionUnauthorized",
			"UserNotInTheWhiteList", "InvalidOperation.UserNotSupported", "InvalidOperation.NotInWhiteList", "InvalidInstance.UnPaidOrder",
			"OperationDenied.UnpaidOrder", "INST_HAS_UNPAID_ORDER", "OperationDenied.TestAccountRetricted", "ImageNotSubscribed", "ImageRemovedInMarket",
			"InstanceLockedForSecurity", "InstanceExpired", "InstanceExpiredOrInArrears", "DiskInArrears",
		}, class: ClassAccount},
	}
}

func permissionRules() []codeRule {
	return []codeRule{
		{codes: []string{
			"Forbidden.RAM", "Forbidden.Unauthorized", "Forbidden.SubUser", "Forbidden.NotSupportRAM", "NoPermission", "Forbbiden", "NoPermission.Price",
			"NoPermission.SystemTag", "NoPermission.Tag", "InvalidUser.PassRoleForbidden", "InvalidRamRole.NotEcsRole",
		}, class: ClassPermission},
	}
}

func credentialRules() []codeRule {
	return []codeRule{
		// A source that refreshes gives a new token to the second attempt.
		{codes: []string{"InvalidSecurityToken.Expired"}, class: ClassCredentials, retries: 1},
		{codes: []string{
			"InvalidAccessKeyId.NotFound", "InvalidAccessKeyId.Inactive", "Forbidden.AccessKeyDisabled", "SignatureDoesNotMatch",
			"IncompleteSignature", "MissingSecurityToken", "InvalidSecurityToken.*", "MissingAccessKeyId",
		}, class: ClassCredentials},
	}
}

func configurationRules() []codeRule {
	return []codeRule{
		// Another type or zone may help with these, although the request as it is
		// stays wrong.
		{codes: []string{
			"InvalidOperation.Ipv4CountExceeded", "InvalidOperation.Ipv6CountExceeded", "InvalidOperation.Ipv6NotSupport",
			"InvalidSpotInterruptionBehavior.LocalDiskNotSupport", "InvalidSpotInterruptionBehavior.ClassicNetworkNotSupport",
			"InvalidOperation.VpcHasEnabledAdvancedNetworkFeature",
		}, class: ClassConfiguration, scopes: ScopeType},
		{codes: []string{
			"JoinedGroupLimitExceed", "AclLimitExceed", "EnterpriseGroupLimited.*", "InstanceDiskNumber.LimitExceed", "InstanceDiskNumLimitExceed",
			"InstanceDiskCategoryLimitExceed", "InvalidParameter.CreditSpecification", "InvalidParameter", "InvalidParameter.Bandwidth",
			"InvalidParameter.Mismatch", "InvalidParameter.NotMatch", "InvalidParameter.Combination", "InvalidParameter.VSwitchId",
			"InvalidParameter.ResourceOwnerAccount", "InvalidParameter.Conflict", "InvalidParam.*", "InvalidParams.*", "MissingParameter",
			"MissingParameter.*", "MissingParamter", "InvalidClientToken.ValueNotSupported",
		}, class: ClassConfiguration},
		{codes: []string{
			"InvalidImageId.NotFound", "InvalidMarketImage.NotFound", "OperationDenied.ImageNotValid", "InvalidImageFamily.MissingAvailableImage",
			"UnexpectedImageFamily.ImageIdSupplied", "ImageNotSupportCloudInit", "LoginAsNonRoot.ImageNotSupport", "InvalidVSwitchId.NotFound",
			"InvalidVSwitchId.NotExist", "VpcNotFound", "InvalidVSwitchId.Necessary", "InvalidSecurityGroup.NotInDefaultVpc", "InvalidSecurityGroupId",
			"InvalidSecurityGroupId.NotFound", "OperationDenied.InconsistentNetwork", "InvalidKeyPairName.NotFound", "InvalidRamRole.NotFound",
			"InvalidZoneId.NotFound", "ZoneId.NotFound", "InvalidRegionId.NotFound", "InvalidRegionId.MalFormed", "InvalidResourceGroup.NotFound",
			"InvalidLaunchTemplate.NotFound", "InvalidLaunchTemplateVersion.NotFound", "DeploymentSet.NotFound", "InvalidClusterId.NotFound",
			"InvalidDeploymentSetId.NotFound", "InvalidDedicatedHostId.NotFound", "InvalidHpcClusterId.NotFound", "InvalidSnapshotId.NotFound",
			"InvalidInstanceChargeType.NotFound", "HOSTNAME_ILLEGAL",
		}, class: ClassConfiguration},
		{codes: []string{
			"InvalidHostName.Malformed", "InvalidInstanceName.Malformed", "InvalidInstanceName.CustomMalformed", "InvalidDescription.Malformed",
			"InvalidPassword.Malformed", "InvalidHostPassword.Malformed", "InvalidPasswordParam.Mismatch", "InvalidUserData.SizeExceeded",
			"InvalidUserData.Base64FormatInvalid", "InvalidUserData.NotSupported", "InvalidUserData.Forbidden", "InvalidSystemDiskSize",
			"InvalidSystemDiskSize.LessThanImageSize", "InvalidSystemDiskSize.LessThanMinSize", "InvalidSystemDiskSize.MoreThanMaxSize",
			"InvalidSystemDiskSize.ValueNotSupported", "InvalidSystemDiskSize.ImageNotSupportResize", "InvalidDataDiskSize.ValueNotSupported",
			"InvalidDiskSize.TooSmall", "InvalidDisk.SystemDiskSize", "OperationDenied.PerformanceLevelNotMatch", "OperationDenied.SnapshotParamsNotValid",
			"InvalidDataDevice.Malformed", "InvalidDevice.InUse", "DeleteWithInstance.Conflict", "InvalidTagKey.Malformed", "InvalidTagValue.Malformed",
			"InvalidTag.Mismatch", "InvalidTagCount", "Duplicate.TagKey", "InvalidAutoReleaseTime.Malformed",
		}, class: ClassConfiguration},
		{codes: []string{
			"InvalidSpotStrategy", "InvalidSpotPriceLimit", "InvalidSpotDuration", "InvalidSpotPrepaid", "InvalidSpotParam.EmptyZoneID",
			"InvalidSpotInterruptionBehavior", "InvalidPeriod", "InvalidPeriodType.ValueNotSupported", "InvalidAutoRenewPeriod.ValueNotSupported",
			"InvalidInternetChargeType.ValueNotSupported", "InvalidChargeType.ValueNotSupported", "ChargeTypeViolation",
			"InvalidOperation.DeletionProtection", "OperationDenied.DeletionProtection",
		}, class: ClassConfiguration},
		{codes: []string{
			"InvalidPrivateIpAddress", "InvalidPrivateIpAddress.Malformed", "InvalidIp.Address", "InvalidVSwitchId.IpInvalid", "InvalidIp.IpRepeated",
			"InvalidVSwitch.Ipv6NotTurnOn", "InvalidNetworkType.Mismatch", "InvalidInternetMaxBandwidthOut.Malformed", "InvalidMinAmount.Malformed",
			"InvalidMaxAmount.Malformed", "DryRun.InvalidAmount", "InvalidHttpEndpoint.NotSupported", "InvalidHttpTokens.NotSupported",
			"InvalidHttpPutResponseHopLimit.NotSupported", "Invalid.PrivatePoolOptionsId", "DependencyViolation.WindowsInstance",
			"DependencyViolation.IoOptimized", "DependencyViolation.InstanceType", "InvalidParameter.KMSKeyId.*", "InvalidParameter.Encrypted*",
			"EncryptedOption.Conflict", "InvalidParameter.TooManyInstanceIds", "InvalidInstanceIds.ValueNotSupported", "DefaultVswitch.Existed",
			"IncorrectRecycleBinStatus", "InvalidRelationResource.NotFound", "UnsupportedParameter", "InvalidParameter.IsNull", "InvalidApi.NotFound",
			"InvalidAction", "InvalidProduct.NotFound", "UnsupportedHTTPMethod", "InvalidTimeStamp.Format", "InvalidSignatureMethod",
		}, class: ClassConfiguration},
		{codes: []string{"OperationDenied"}, class: ClassConfiguration},
	}
}
