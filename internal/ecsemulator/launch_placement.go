package ecsemulator

import "slices"

// deploymentSetLimit is how many instances of a deployment set a zone takes. Source: the page on deployment sets.
const deploymentSetLimit = 20

func (l *launch) checkPlacement() *APIError {
	group := l.integer("DeploymentSetGroupNo", 1)
	switch {
	case group < 1 || group > 7:
		return invalidParameter("DeploymentSetGroupNo")
	case l.has("DeploymentSetId") && !slices.Contains(l.region.DeploymentSets, l.string("DeploymentSetId")):
		return refuse(400, "InvalidDeploymentSetId.NotFound", "The specified DeploymentSetId does not exist.")
	case l.has("ResourceGroupId") && !slices.Contains(l.region.ResourceGroups, l.string("ResourceGroupId")):
		return refuse(404, "InvalidResourceGroup.NotFound", "The specified ResourceGroupId does not exist.")
	case l.has("HpcClusterId"):
		return refuse(400, "InvalidHpcClusterId.NotFound", "The specified HpcClusterId does not exist.")
	case l.has("DedicatedHostId"):
		return refuse(400, "InvalidDedicatedHostId.NotFound", "The specified DedicatedHostId does not exist.")
	case !oneOf(l.string("IoOptimized"), "", "optimized"):
		return refuse(403, "IoOptimized.NotSupported", "The specified instance type supports I/O optimized instances only.")
	case !oneOf(l.string("Tenancy"), "", "default", "host"):
		return invalidParameter("Tenancy")
	case !oneOf(l.string("SecurityEnhancementStrategy"), "", "Active", "Deactive"):
		return invalidParameter("SecurityEnhancementStrategy")
	}
	return l.checkPrivatePool()
}

// checkPrivatePool finds the pool that MatchCriteria Target names. Spot instances never come from a pool.
func (l *launch) checkPrivatePool() *APIError {
	criteria := l.string("PrivatePoolOptions.MatchCriteria")
	switch {
	case !oneOf(criteria, "", "Open", "Target", "None"):
		return invalidParameter("PrivatePoolOptions.MatchCriteria")
	case criteria != "Target":
		return nil
	case !l.has("PrivatePoolOptions.Id"):
		return refuse(400, "MissingParameter.PrivatePoolOptionsId", "The parameter PrivatePoolOptions.Id is mandatory when MatchCriteria is Target.")
	case l.mode == ChargeSpot:
		return nil
	}
	for n := range l.region.PrivatePools {
		pool := &l.region.PrivatePools[n]
		if pool.ID == l.string("PrivatePoolOptions.Id") && pool.Zone == l.vswitch.Zone && pool.InstanceType == l.instanceType.ID {
			l.pool = pool
			return nil
		}
	}
	return refuse(400, "Invalid.PrivatePoolOptionsId", "The specified PrivatePoolOptions.Id does not exist or does not match the instance.")
}

// poolPreference is the MatchCriteria that the instance shows.
func (l *launch) poolPreference() string {
	if l.mode == ChargeSpot && l.has("PrivatePoolOptions.MatchCriteria") {
		return "None"
	}
	return l.string("PrivatePoolOptions.MatchCriteria")
}

// checkPlacementRoom checks what is left in the deployment set and in the private pool.
func (l *launch) checkPlacementRoom() *APIError {
	if l.pool == nil && !l.has("DeploymentSetId") {
		return nil
	}
	inSet, inPool := 0, 0
	for _, i := range l.account.order {
		if !i.exists(l.now) {
			continue
		}
		if i.deploymentSet == l.string("DeploymentSetId") && i.zoneID == l.vswitch.Zone {
			inSet++
		}
		if l.pool != nil && i.privatePoolID == l.pool.ID {
			inPool++
		}
	}
	if l.has("DeploymentSetId") {
		l.count = min(l.count, deploymentSetLimit-inSet)
	}
	if l.count < l.minAmount {
		return refuse(403, "QuotaExceed.DeploymentSetInstanceQuotaFull", "The deployment set takes no more instances in the zone.")
	}
	if l.pool == nil {
		return nil
	}
	if l.count = min(l.count, l.pool.Amount-inPool); l.count < l.minAmount {
		return refuse(400, "Invalid.PrivatePoolOptions.NoStock", "The private pool is exhausted.")
	}
	return nil
}
