package ecsemulator

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// catalogueCheck gathers what is wrong with a catalogue.
type catalogueCheck struct {
	problems []error
	seen     map[string]bool
	types    map[string]bool
	zones    map[string]bool
	table    parameterTable
}

func (k *catalogueCheck) problem(format string, args ...any) {
	k.problems = append(k.problems, fmt.Errorf(format, args...))
}

// once refuses an empty name, and one that was there before.
func (k *catalogueCheck) once(kind, id string) {
	switch key := kind + " " + id; {
	case id == "":
		k.problem("a %s has no id", kind)
	case k.seen[key]:
		k.problem("%s %s is there twice", kind, id)
	default:
		k.seen[key] = true
	}
}

func (c *Catalogue) validate() error {
	table, err := parseParameterTable(runInstancesParameters)
	if err != nil {
		return err
	}
	k := &catalogueCheck{seen: map[string]bool{}, types: map[string]bool{}, zones: map[string]bool{}, table: table}
	if len(c.Regions) == 0 {
		k.problem("catalogue has no region")
	}
	for _, region := range c.Regions {
		for _, zone := range region.Zones {
			k.once("zone", zone)
			k.zones[zone] = true
		}
	}
	for _, t := range c.InstanceTypes {
		k.types[t.ID] = true
		k.instanceType(t)
	}
	regions := map[string]bool{}
	for _, region := range c.Regions {
		regions[region.ID] = true
		k.region(region)
	}
	for _, image := range c.Images {
		k.image(image, regions)
	}
	for n, stock := range c.Stock {
		if err := stock.validate(); err != nil {
			k.problem("stock entry %d: %w", n+1, err)
		}
	}
	k.prices(c.Prices)
	if q := c.Quotas; q.PostPaidInstances < 0 || q.SecurityGroupInstances < 0 || q.FamilyVCPUs < 0 {
		k.problem("quotas: a number is negative")
	}
	return errors.Join(k.problems...)
}

func (k *catalogueCheck) region(region Region) {
	k.once("region", region.ID)
	if len(region.Zones) == 0 {
		k.problem("region %s has no zone", region.ID)
	}
	for _, vpc := range region.VPCs {
		k.once("vpc", vpc.ID)
		for _, vswitch := range vpc.VSwitches {
			k.vswitch(region, vswitch)
		}
		for _, group := range vpc.SecurityGroups {
			k.once("security group", group.ID)
			if !oneOf(group.Type, "", "normal", "enterprise") {
				k.problem("security group %s: type %q is neither normal nor enterprise", group.ID, group.Type)
			}
		}
	}
	for _, pair := range region.KeyPairs {
		k.once("key pair of "+region.ID, pair.Name)
	}
	for _, snapshot := range region.Snapshots {
		k.once("snapshot", snapshot.ID)
		if snapshot.SizeGiB < 1 {
			k.problem("snapshot %s: size_gib %d is less than 1", snapshot.ID, snapshot.SizeGiB)
		}
	}
	for _, pool := range region.PrivatePools {
		k.once("private pool", pool.ID)
		if !slices.Contains(region.Zones, pool.Zone) || !k.types[pool.InstanceType] || pool.Amount < 0 {
			k.problem("private pool %s: zone %q, instance_type %q and amount %d must be of region %s, known, and not negative",
				pool.ID, pool.Zone, pool.InstanceType, pool.Amount, region.ID)
		}
	}
	for _, template := range region.LaunchTemplates {
		k.template(template)
	}
}

func (k *catalogueCheck) vswitch(region Region, v VSwitch) {
	k.once("vswitch", v.ID)
	if !slices.Contains(region.Zones, v.Zone) {
		k.problem("vswitch %s: zone %q is not in region %s", v.ID, v.Zone, region.ID)
	}
	prefix, err := netip.ParsePrefix(v.CIDR)
	if err != nil || !prefix.Addr().Is4() || prefix.Bits() > 29 {
		k.problem("vswitch %s: %q is not an IPv4 block of at least /29", v.ID, v.CIDR)
	}
	if v.IPv6CIDR != "" {
		if prefix, err = netip.ParsePrefix(v.IPv6CIDR); err != nil || !prefix.Addr().Is6() || prefix.Bits() > 64 {
			k.problem("vswitch %s: %q is not an IPv6 block of at least /64", v.ID, v.IPv6CIDR)
		}
	}
	if !oneOf(v.Status, "", "Available", "Pending") {
		k.problem("vswitch %s: status %q is neither Available nor Pending", v.ID, v.Status)
	}
}

func (k *catalogueCheck) template(template LaunchTemplate) {
	k.once("launch template", template.ID)
	if template.DefaultVersion < 1 || template.DefaultVersion > len(template.Versions) {
		k.problem("launch template %s: default_version %d is not one of its %d versions", template.ID, template.DefaultVersion, len(template.Versions))
	}
	for n, version := range template.Versions {
		for name, value := range version {
			general, ok := generalName(name)
			if spec, known := k.table[general]; !ok || !known || !spec.accepts(value) {
				k.problem("launch template %s, version %d: %s is no parameter of RunInstances, or its value is of the wrong kind", template.ID, n+1, name)
			}
		}
	}
}

func (k *catalogueCheck) instanceType(t InstanceType) {
	k.once("instance type", t.ID)
	switch {
	case t.ID == "" || t.VCPUs < 1 || t.MemoryGiB <= 0 || len(t.DiskCategories) == 0:
		k.problem("instance type %q needs an id, vcpus, memory_gib and disk_categories", t.ID)
	case !oneOf(t.Architecture, "X86", "ARM"):
		k.problem("instance type %s: architecture %q is neither X86 nor ARM", t.ID, t.Architecture)
	case t.HourlyPrice < 0 || t.SpotHourlyPrice < 0:
		k.problem("instance type %s: a price is negative", t.ID)
	case t.NetworkInterfaces < 0 || t.PrivateAddressesPerInterface < 0 || t.Disks < 0 || t.GPUs < 0 || t.LocalDisks < 0:
		k.problem("instance type %s: a number is negative", t.ID)
	}
	for _, category := range t.DiskCategories {
		if !slices.Contains(dataCategories(), category) {
			k.problem("instance type %s: disk category %q is none of %v", t.ID, category, dataCategories())
		}
	}
	for _, zone := range t.Zones {
		if !k.zones[zone] {
			k.problem("instance type %s: zone %q is in no region", t.ID, zone)
		}
	}
}

func (k *catalogueCheck) image(image Image, regions map[string]bool) {
	k.once("image", image.ID)
	if !oneOf(image.Architecture, "x86_64", "arm64") {
		k.problem("image %s: architecture %q is neither x86_64 nor arm64", image.ID, image.Architecture)
	}
	if !oneOf(image.OSType, "linux", "windows") {
		k.problem("image %s: os_type %q is neither linux nor windows", image.ID, image.OSType)
	}
	if image.SizeGiB < 1 {
		k.problem("image %s: size_gib %d is less than 1", image.ID, image.SizeGiB)
	}
	if _, err := time.Parse(secondLayout, image.Created); err != nil {
		k.problem("image %s: created %q is no time like 2026-01-02T03:04:05Z", image.ID, image.Created)
	}
	for _, region := range image.Regions {
		if !regions[region] {
			k.problem("image %s: region %q is not there", image.ID, region)
		}
	}
}

func (k *catalogueCheck) prices(p Prices) {
	for name, price := range p.DiskGiBHour {
		if price < 0 {
			k.problem("prices: disk_gib_hour of %s is negative", name)
		}
	}
	for unit, hours := range p.SubscriptionHours {
		if !oneOf(unit, "Week", "Month", "Year") || hours <= 0 {
			k.problem("prices: subscription_hours of %q must be Week, Month or Year, and above zero", unit)
		}
	}
	if p.MbpsHour < 0 {
		k.problem("prices: mbps_hour is negative")
	}
}
