package ecsemulator

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// The values of an instance's Status.
const (
	statusPending  = "Pending"
	statusStarting = "Starting"
	statusRunning  = "Running"
	statusStopping = "Stopping"
	statusStopped  = "Stopped"
)

// instance is one instance. Its status is not stored: it follows from the timeline and the time.
type instance struct {
	id, regionID, zoneID string
	name, hostName       string
	description          string
	instanceType         *InstanceType
	image                *Image
	vpc                  *VPC
	vswitch              *VSwitch
	securityGroups       []string
	address              netip.Addr
	publicAddress        string
	interfaceID          string
	mac                  string
	secondaryAddresses   []netip.Addr // further ones of the primary network interface
	ipv6Addresses        []netip.Addr // of the primary network interface
	interfaceTags        map[string]string
	interfaces           []*networkInterface
	serial               string
	tags                 map[string]string
	disks                []*disk

	chargeMode             ChargeMode
	spotStrategy           string
	spotPriceLimit         float64
	spotDuration           int
	spotInterruption       string
	expires                time.Time
	autoRelease            time.Time
	deletionProtection     bool
	creditSpecification    string
	keyPair, ramRole       string
	resourceGroup          string
	bandwidthOut           int
	internetChargeType     string
	httpEndpoint           string
	httpTokens             string
	hopLimit               int
	deploymentSet          string
	deploymentSetGroup     int
	privatePoolID          string
	privatePoolPreference  string
	stoppedMode            string
	recyclable             bool
	userData               string // as it came, in Base64
	sequence               int    // order of creation within the account
	createdAt, startedAt   time.Time
	visibleFrom, visibleTo time.Time
	timeline               []transition
	releasing              bool
	locks                  []string // reasons, as OperationLocks tells them
	planned                []plannedIncident
	reclaimAt              time.Time // end of a spot instance that has its notice
	goneAt                 time.Time
	withdrawn              bool
	specChangedAt          time.Time // of the last ModifyInstanceSpec
	consoleAt              time.Time // of the last stop or reboot, or a start after the first
	autoRenew              bool
	autoRenewPeriod        int
	periodUnit             string
}

// transition is the moment from which an instance has a status.
type transition struct {
	at     time.Time
	status string
}

// status is the status at a moment.
func (i *instance) status(now time.Time) string {
	status := i.timeline[0].status
	for _, step := range i.timeline[1:] {
		if step.at.After(now) {
			break
		}
		status = step.status
	}
	return status
}

// turn gives the instance a status now and another one later. What was planned before is void.
func (i *instance) turn(now time.Time, status string, later time.Duration, final string) {
	i.timeline = []transition{{now, status}, {now.Add(later), final}}
}

// exists reports whether the instance is there. Mutations see an instance from its first moment to its last.
func (i *instance) exists(now time.Time) bool { return i.goneAt.IsZero() || now.Before(i.goneAt) }

// visible reports whether reads list the instance.
func (i *instance) visible(now time.Time) bool {
	return !now.Before(i.visibleFrom) && (i.exists(now) || now.Before(i.visibleTo))
}

// vanish plans the end of the instance.
func (i *instance) vanish(at time.Time, listedFor time.Duration) {
	i.goneAt, i.visibleTo = at, at.Add(listedFor)
}

// sortedTags gives the tags in the order of their keys.
func (i *instance) sortedTags() []tagAnswer { return sortedTags(i.tags) }

func sortedTags(tags map[string]string) []tagAnswer {
	list := make([]tagAnswer, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, tagAnswer{TagKey: key, TagValue: tags[key]})
	}
	return list
}

// disk is one disk, of an instance or left by one.
type disk struct {
	id, regionID, zoneID string
	instanceID           string
	name, description    string
	category             string
	performanceLevel     string
	sizeGiB              int
	system               bool
	deleteWithInstance   bool
	encrypted            bool
	device               string
	tags                 map[string]string
	createdAt            time.Time
	attachedAt           time.Time
	detachedAt           time.Time
	imageID              string
	snapshotID           string
	resourceGroup        string
	serial               string
	kmsKeyID             string
	snapshotPolicyID     string
	deleteAutoSnapshot   bool
	enableAutoSnapshot   bool
	burstingEnabled      bool
	provisionedIOPS      int
	prePaid              bool
}

type tagAnswer struct {
	TagKey   string
	TagValue string
}
