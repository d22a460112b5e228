package ecsemulator

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// newInstance makes the n-th instance of a launch that passed all checks.
func (l *launch) newInstance(n int) *instance {
	s := l.server
	options := s.options
	i := &instance{
		id: s.resourceID("i", l.region.ID), regionID: l.region.ID, zoneID: l.vswitch.Zone,
		description: l.string("Description"), instanceType: l.instanceType, image: l.image, vpc: l.vpc, vswitch: l.vswitch,
		securityGroups: slices.Clone(l.groups), interfaceID: s.resourceID("eni", l.region.ID),
		tags: maps.Clone(l.tags), interfaceTags: maps.Clone(l.tags), chargeMode: l.mode, spotStrategy: l.spotStrategy, spotPriceLimit: l.number("SpotPriceLimit", 0),
		creditSpecification: l.string("CreditSpecification"), keyPair: l.string("KeyPairName"), ramRole: l.string("RamRoleName"),
		resourceGroup: l.string("ResourceGroupId"), deletionProtection: l.boolean("DeletionProtection", false),
		bandwidthOut: l.integer("InternetMaxBandwidthOut", 0), internetChargeType: orDefault(l.string("InternetChargeType"), "PayByTraffic"),
		httpEndpoint: orDefault(l.string("HttpEndpoint"), "enabled"), httpTokens: orDefault(l.string("HttpTokens"), "optional"),
		hopLimit: l.integer("HttpPutResponseHopLimit", 1), deploymentSet: l.string("DeploymentSetId"),
		deploymentSetGroup: l.integer("DeploymentSetGroupNo", 0), privatePoolID: l.string("PrivatePoolOptions.Id"),
		privatePoolPreference: l.poolPreference(), userData: l.string("UserData"),
		createdAt: l.now, startedAt: l.now, visibleFrom: l.now.Add(options.NewVisibilityDelay),
	}
	if i.keyPair != "" && l.image.OSType == "windows" {
		i.keyPair = ""
	}
	if l.mode == ChargeSpot {
		i.spotDuration = l.integer("SpotDuration", 1)
		i.spotInterruption = orDefault(l.string("SpotInterruptionBehavior"), "Terminate")
	}
	if l.mode == ChargePrePaid {
		i.expires = l.now.AddDate(0, l.months(), l.weeks()*7)
		i.autoRenew, i.autoRenewPeriod = l.boolean("AutoRenew", false), l.integer("AutoRenewPeriod", 1)
		i.periodUnit = orDefault(l.string("PeriodUnit"), "Month")
	}
	i.serial = serialOf(i.id)
	i.name = l.suffixed(l.string("InstanceName"), n)
	if i.name == "" {
		i.name = i.id
	}
	i.hostName = l.hostNameOf(i, n)
	i.autoRelease = l.autoRelease
	l.placeInNetwork(i, n)
	i.disks = l.disksOf(i)
	i.timeline = []transition{
		{l.now, statusPending}, {l.now.Add(options.PendingDuration), statusStarting}, {l.now.Add(options.BootDuration), statusRunning},
	}
	if l.verdict.withdraw != nil {
		i.withdrawn = true
		i.vanish(l.now.Add(*l.verdict.withdraw), 0)
	}
	return i
}

// publicAddress gives addresses of a block that is reserved for documentation and measurement.
func (a *account) publicAddress() string {
	n := a.sequence + 1
	return fmt.Sprintf("198.%d.%d.%d", 18+n>>16&1, n>>8&255, n&255)
}

// hostNameOf follows the documented default, iZ<id without i->Z.
func (l *launch) hostNameOf(i *instance, n int) string {
	name := l.string("HostName")
	if names := l.list("HostNames"); n < len(names) {
		name = names[n]
	}
	if name == "" {
		return "iZ" + strings.TrimPrefix(i.id, "i-") + "Z"
	}
	return strings.ReplaceAll(l.suffixed(name, n), "${instance_id}", i.id)
}

// suffixed numbers the name of the n-th instance: by the form name[begin,bits], else by UniqueSuffix, which adds 001 to 999.
func (l *launch) suffixed(name string, n int) string {
	if with := numbered(name, n); with != name || name == "" {
		return with
	}
	if l.boolean("UniqueSuffix", false) {
		return fmt.Sprintf("%s%03d", name, n+1)
	}
	return name
}

// numbered replaces the form name[begin,bits] by the number of the n-th instance.
func numbered(name string, n int) string {
	before, rest, found := strings.Cut(name, "[")
	inside, after, closed := strings.Cut(rest, "]")
	begin, bits, pair := strings.Cut(inside, ",")
	if !found || !closed || !pair {
		return name
	}
	first, width := 0, 6
	var err error
	if begin != "" {
		if first, err = strconv.Atoi(begin); err != nil {
			return name
		}
	}
	if bits != "" {
		if width, err = strconv.Atoi(bits); err != nil || width < 1 || width > 6 {
			return name
		}
	}
	return fmt.Sprintf("%s%0*d%s", before, width, first+n, after)
}

func (l *launch) disksOf(i *instance) []*disk {
	disks := make([]*disk, 0, len(l.disks))
	for n, template := range l.disks {
		d := template
		d.id, d.regionID, d.zoneID, d.instanceID = l.server.resourceID("d", l.region.ID), l.region.ID, l.vswitch.Zone, i.id
		d.createdAt, d.attachedAt, d.tags, d.serial = l.now, l.now, maps.Clone(l.tags), serialOf(d.id)[:20]
		d.resourceGroup, d.prePaid = l.string("ResourceGroupId"), l.mode == ChargePrePaid
		d.device = orDefault(d.device, l.freeDevice(n))
		disks = append(disks, &d)
	}
	return disks
}

// freeDevice names the n-th disk, of which the system disk is number 0, unless another one has asked for the name: then the next is
// taken that nobody asked for.
func (l *launch) freeDevice(n int) string {
	asked := map[string]bool{}
	for _, d := range l.disks {
		asked[d.device] = true
	}
	nth := 0
	for letter := 'a'; letter <= 'z'; letter++ {
		device := "/dev/xvd" + string(letter)
		if asked[device] {
			continue
		}
		if nth == n-l.askedBefore(n) {
			return device
		}
		nth++
	}
	return ""
}

// askedBefore counts the disks before the n-th that asked for a name.
func (l *launch) askedBefore(n int) int {
	count := 0
	for _, d := range l.disks[:n] {
		if d.device != "" {
			count++
		}
	}
	return count
}
