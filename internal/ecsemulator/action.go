package ecsemulator

import (
	"fmt"
	"strings"
	"time"
)

// service is an API version, which tells the products apart.
type service string

const (
	serviceECS service = "2014-05-26"
	serviceVPC service = "2016-04-28"
	serviceSTS service = "2015-04-01"
)

// product is the name that hosts and recommendations bear.
func (v service) product() string {
	switch v {
	case serviceVPC:
		return "Vpc"
	case serviceSTS:
		return "Sts"
	default:
		return "Ecs"
	}
}

type actionKey struct {
	service service
	name    string
}

// action is one action of the API: its declared parameters, its rules and its answer.
type action struct {
	actionKey
	// declares is the text of the parameter table.
	declares string
	// anyRegion actions work without RegionId; without it they look in all regions.
	anyRegion bool
	// unsigned actions need no access key: what they bring proves who asks.
	unsigned bool
	// run checks and does, under the server's lock. Its error is an *APIError.
	run func(c *call) (any, *APIError)

	table parameterTable
}

// call is one call of an action, decoded and authenticated.
type call struct {
	parameters
	server    *Server
	action    *action
	key       AccessKey
	account   *account
	region    *Region // nil if an anyRegion action came without RegionId
	now       time.Time
	id        int
	requestID string
	verdict   verdict
	// explicitlyDenied is set where a policy says Deny, not where none says Allow.
	explicitlyDenied bool
}

func indexActions(actions []*action) (map[actionKey]*action, error) {
	index := make(map[actionKey]*action, len(actions))
	for _, a := range actions {
		table, err := parseParameterTable(a.declares)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		a.table = table
		index[a.actionKey] = a
	}
	return index, nil
}

// allActions is every action that the server knows.
func allActions() []*action {
	return []*action{
		runInstances(),
		describeInstances(),
		describeInstanceStatus(),
		startInstance(),
		stopInstance(),
		rebootInstance(),
		deleteInstance(),
		deleteInstances(),
		modifyInstanceAttribute(),
		describeUserData(),
		tagResources(),
		untagResources(),
		listTagResources(),
		describeInstanceTypes(),
		describeAvailableResource(),
		describeImages(),
		describeImageFromFamily(),
		describeSecurityGroups(),
		describeKeyPairs(),
		describeDeploymentSets(),
		describeSnapshots(),
		describeDisks(),
		describeZones(),
		describeRegions(),
		describeVSwitches(),
		describeVPCs(),
		startInstances(),
		stopInstances(),
		rebootInstances(),
		replaceSystemDisk(),
		modifyInstanceSpec(),
		modifyPrepayInstanceSpec(),
		modifyInstanceAutoReleaseTime(),
		modifyInstanceMetadataOptions(),
		modifyInstanceChargeType(),
		describeInstanceAttribute(),
		describeInstanceMaintenanceAttributes(),
		describeInstanceAttachmentAttributes(),
		describeInstanceAutoRenewAttribute(),
		describeInstanceHistoryEvents(),
		getInstanceConsoleOutput(),
		describeInstanceRAMRole(),
		attachInstanceRAMRole(),
		detachInstanceRAMRole(),
		attachKeyPair(),
		detachKeyPair(),
		joinSecurityGroup(),
		leaveSecurityGroup(),
		deleteDisk(),
		modifyDiskAttribute(),
		describeNetworkInterfaces(),
		deleteNetworkInterface(),
		describePrice(),
		describeSpotPriceHistory(),
		describeResourcesModification(),
		getCallerIdentity(),
		assumeRole(),
		assumeRoleWithOIDC(),
	}
}

func ecsAction(name, declares string, run func(*call) (any, *APIError)) *action {
	return &action{actionKey: actionKey{serviceECS, name}, declares: declares, run: run}
}

// reads reports whether the action changes nothing, which its name tells.
func (a *action) reads() bool {
	for _, verb := range []string{"Describe", "List", "Get"} {
		if strings.HasPrefix(a.name, verb) {
			return true
		}
	}
	return false
}
