package ecs

// codeRule classifies error codes. A code that ends in * stands for all codes
// that begin so. The first rule that fits decides, so that the particular ones of
// an overloaded code stand before the general one.
type codeRule struct {
	codes   []string
	class   Class
	scopes  Scope
	status  int    // only with this HTTP status; 0 is any
	message string // only if the message contains this, in any case
	action  string // only of this action
	// retries bounds how often the same request is repeated although, or
	// because, the class alone says otherwise; 0 leaves it to the class.
	retries int
}

// codeRules is the classification of every code that the API documents for the
// actions of this project, and of those that other programs met. Unlisted codes
// fall to the families of classify.
func codeRules() []codeRule {
	rules := make([]codeRule, 0, 160)
	for _, group := range [][]codeRule{
		capacityRules(), transientRules(), waitRules(), tokenRules(), goneRules(),
		quotaRules(), accountRules(), permissionRules(), credentialRules(), configurationRules(),
	} {
		rules = append(rules, group...)
	}
	return rules
}

func capacityRules() []codeRule {
	const zoneOrType = ScopeZone | ScopeType
	return []codeRule{
		{codes: []string{"OperationDenied.NoStock", "NoInstanceStock", "ResourceNotAvailable", "LackResource"}, class: ClassCapacity, scopes: zoneOrType},
		{codes: []string{"OperationDenied"}, message: "out of usage", class: ClassCapacity, scopes: zoneOrType},
		{codes: []string{"OperationDenied"}, message: "temporarily suspended", class: ClassCapacity, scopes: zoneOrType},
		{codes: []string{"OperationDenied"}, status: 400, class: ClassCapacity, scopes: zoneOrType},
		{codes: []string{"Zone.NotOnSale", "Zone.NotOpen", "OperationDenied.ZoneNotAllowed", "InvalidVpcZone.NotSupported"}, class: ClassCapacity, scopes: ScopeZone},
		{codes: []string{"InvalidResourceType.NotSupported", "InvalidInstanceType.ZoneNotSupported"}, class: ClassCapacity, scopes: zoneOrType},
		{codes: []string{
			"InvalidInstanceType.NotSupported", "InvalidInstanceType.ValueNotSupported", "InvalidInstanceType.ValueUnauthorized", "InstanceType.Offline",
			"IoOptimized.NotSupported", "ImageNotSupportInstanceType", "InvalidInstanceType.ElasticNetworkInterfaceNotSupported",
			"InvalidHpcClusterId.Unnecessary", "InvalidHpcClusterId.Necessary",
		}, class: ClassCapacity, scopes: ScopeType},
		{codes: []string{"InvalidParameter.Conflict"}, message: "image", class: ClassCapacity, scopes: ScopeType},
		{codes: []string{"OperationDenied.PaygNotAvailable", "OperationDenied.PrepayNotAvailable"}, class: ClassCapacity, scopes: zoneOrType},
		{codes: []string{
			"OperationDenied.RegionIdNotSupported", "OperationDenied.FlavorNotSupported", "OperationDenied.TimestampNotSupported",
			"InvalidSpotPriceLimit.LowerThanPublicPrice", "OperationDenied.SpotPriceLowerThanPublicPrice",
		}, class: ClassCapacity, scopes: ScopeSpot},
		{codes: []string{
			"QuotaExceed.DiskCapacity", "OperationDenied.ZoneSystemCategoryNotMatch", "OperationDenied.CloudSSDNotSupported", "CategoryNotSupported",
			"InvalidParameter.EncryptedNotSupported",
		}, class: ClassCapacity, scopes: ScopeDisk | ScopeZone},
		{codes: []string{"InvalidDiskCategory.NotSupported", "InvalidInstanceType.NotSupportDiskCategory"}, class: ClassCapacity, scopes: ScopeDisk | ScopeType},
		{codes: []string{
			"InvalidSystemDiskCategory.ValueNotSupported", "InvalidDataDiskCategory.ValueNotSupported", "InvalidDataDiskCategory.NotSupported",
			"InvalidDiskCategory.ValueNotSupported", "InvalidDiskCategory.Mismatch", "InvalidPerformanceLevel.ValueNotSupported",
			"InvalidSystemDiskCategory.ValueUnauthorized",
		}, class: ClassCapacity, scopes: ScopeDisk},
		{codes: []string{
			"InvalidZoneId.NotSupportShareEncryptedImage", "InvalidZoneId.NotSupportCreateWithShareEncryptedImage", "NotSupportSnapshotEncrypted.ZoneId",
			"QuotaExceeded.PrivateIpAddress", "InvalidVSwitchId.IpNotEnough", "OperationDenied.NoVlan", "InvalidOperation.PublicIpAddressNoStock",
			"ResourcesNotInSameZone", "InvalidDestinationZone.DeploymentSetMismatch",
		}, class: ClassCapacity, scopes: ScopeZone},
		{codes: []string{"NotSupportSnapshotEncrypted.InstanceType"}, class: ClassCapacity, scopes: ScopeType},
		{codes: []string{"NoAvaliableDedicatedHost"}, class: ClassCapacity, scopes: zoneOrType | ScopeHost},
		{codes: []string{"DedicatedHostType.Unmatched"}, class: ClassCapacity, scopes: ScopeType | ScopeHost},
		{codes: []string{
			"InvalidDedicatedHost.NotEnoughResource", "Invalid.PrivatePoolOptions.NoStock", "InvalidStorageClusterId.CapacityNotEnough",
		}, class: ClassCapacity, scopes: ScopeHost},
		{codes: []string{"QuotaExceed.DeploymentSetInstanceQuotaFull", "DeploymentSet.NoRoom"}, class: ClassCapacity, scopes: ScopeZone | ScopeHost},
		{codes: []string{"QuotaExceed.ElasticQuota"}, class: ClassCapacity, scopes: zoneOrType},
	}
}

func transientRules() []codeRule {
	return []codeRule{
		{codes: []string{"Throttling", "Throttling.*", "Rejected.Throttling"}, class: ClassThrottled},
		{codes: []string{
			"ServiceUnavailable", "ServiceUnavailable.*", "LimitedOperation.ServiceUnavailable", "InternalError", "InternalError.*", "Mayi.InternalError",
			"OperationConflict", "Operation.Conflict", "InvalidOperation.Conflict", "OperationDenied.CreatingConflict", "LastOrderProcessing",
			"LastRequestProcessing", "OperationDenied.ResourceControl", "NodeControllerUnavailable", "InvalidParameter.DataEncryptedKeyCreateFailed",
			"SDK.TimeoutError",
		}, class: ClassTransient},
		{codes: []string{"OperationDenied"}, status: 404, class: ClassTransient},
		{codes: []string{"OperationDenied"}, status: 500, class: ClassTransient},
		{codes: []string{"OperationDenied"}, message: "another instance is being created", class: ClassTransient},
		{codes: []string{"UnknownError"}, class: ClassTransient, retries: 3},
		// A signature is fresh in every attempt, so a few settle it; a clock that is
		// wrong stays wrong.
		{codes: []string{"InvalidTimeStamp.Expired", "IllegalTimestamp", "SignatureNonceUsed"}, class: ClassTransient, retries: 3},
	}
}

func waitRules() []codeRule {
	return []codeRule{
		{codes: []string{
			"IncorrectVSwitchStatus", "IncorrectVpcStatus", "IncorrectDefaultVpcStatus", "InvalidVPCStatus.NotWorking", "InvalidHpcClusterId.Creating",
			"InvalidSnapshotId.NotReady", "InvalidPrivateIpAddress.Duplicated", "InvalidIPAddress.AlreadyUsed", "InvalidIp.IpAssigned",
			"IncorrectInstanceStatus", "IncorrectInstanceStatus.Initializing", "InstanceNotReady", "InvalidInstanceStatus.NotStopped",
			"InvalidInstanceStatus.NotRunning", "IncorrectDiskStatus", "IncorrectDiskStatus.Initializing", "DiskError",
			"InvalidSystemDiskStatus.IsTransfering", "DiskCreatingSnapshot", "OperationDenied.InstanceCreating", "DependencyViolation",
			"DependencyViolation.RouteEntry", "DependencyViolation.SLBConfiguring", "InvalidOperation.InvalidEniState", "InvalidOperation.InvalidEcsState",
			"InstanceSpecModification.NotEffective", "OperationDenied.HostRepairing",
		}, class: ClassConflict},
		{codes: []string{"InvalidChargeType.ValueNotSupported"}, action: "ModifyInstanceAttribute", class: ClassConflict},
	}
}

func tokenRules() []codeRule {
	return []codeRule{
		{codes: []string{"LastTokenProcessing", "IdempotentProcessing", "TokenPreviousRequestProcessError"}, class: ClassTokenProcessing},
		{codes: []string{"IdempotentFailed"}, class: ClassTokenBurned},
		{codes: []string{"IdempotentParameterMismatch", "IdempotenceParamNotMatch", "InvalidIdempotenceParameter.Mismatch"}, class: ClassTokenMismatch},
		{codes: []string{"DryRunOperation", "DRYRUN.SUCCESS"}, class: ClassDryRunOK},
	}
}

func goneRules() []codeRule {
	return []codeRule{
		{codes: []string{
			"InvalidInstanceId.NotFound", "InvalidInstanceIds.NotFound", "Invalid.InstanceId.NotFound", "Forbidden.InstanceNotFound",
			"InvalidDiskId.NotFound", "InvalidDiskIds.NotFound", "InvalidEniId.NotFound", "InvalidEcsId.NotFound", "InvalidResourceId.NotFound",
			"NoSuchResource",
		}, class: ClassGone},
	}
}
