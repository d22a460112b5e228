package ecsemulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"time"
)

// savedFields is a resource in the state file: its fields that are not zero, by name.
type savedFields map[string]json.RawMessage

// fieldTable names the fields of one resource, each by a pointer to it or by a reference. The same table saves and loads, so that no
// field can be saved and not loaded.
type fieldTable map[string]any

// reference is a field that points to something else, and is saved as the ids of that.
type reference struct {
	target any // the field's address, by which a test finds that no field is missing
	ids    func() []string
	find   func(ids []string) error
}

func (t fieldTable) save() (savedFields, error) {
	saved := savedFields{}
	for name, field := range t {
		value := field
		if ref, isReference := field.(reference); isReference {
			value = ref.ids()
			if len(ref.ids()) == 0 {
				continue
			}
		} else if reflect.ValueOf(field).Elem().IsZero() {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		saved[name] = raw
	}
	return saved, nil
}

func (t fieldTable) load(saved savedFields) error {
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		field, known := t[name]
		if !known {
			return fmt.Errorf("field %q is unknown", name)
		}
		ref, isReference := field.(reference)
		var ids []string
		if isReference {
			field = &ids
		}
		if err := json.Unmarshal(saved[name], field); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
		if isReference {
			if len(ids) == 0 {
				return fmt.Errorf("field %q: it refers to nothing", name)
			}
			if err := ref.find(ids); err != nil {
				return fmt.Errorf("field %q: %w", name, err)
			}
		}
	}
	return nil
}

// savedTransition is a transition in the state file.
type savedTransition struct {
	At     time.Time `json:"at"`
	Status string    `json:"status"`
}

// MarshalJSON is for the state file.
func (t transition) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedTransition{t.at, t.status})
}

// UnmarshalJSON is for the state file.
func (t *transition) UnmarshalJSON(raw []byte) error {
	var saved savedTransition
	err := json.Unmarshal(raw, &saved)
	t.at, t.status = saved.At, saved.Status
	return err
}

// savedAccount is an account in the state file.
type savedAccount struct {
	ID         string        `json:"id"`
	Sequence   int           `json:"sequence"`
	Disks      []savedFields `json:"disks"`
	Interfaces []savedFields `json:"network_interfaces"`
	// Instances are in the order of their creation.
	Instances []savedFields                    `json:"instances"`
	Taken     map[string]map[netip.Addr]string `json:"taken_addresses"`
	TakenIPv6 map[netip.Addr]string            `json:"taken_ipv6_addresses"`
}

func (s *Server) saveAccount(a *account) (savedAccount, error) {
	saved := savedAccount{ID: a.id, Sequence: a.sequence, Taken: a.taken, TakenIPv6: a.takenIPv6}
	var problems []error
	keep := func(list *[]savedFields, table fieldTable) {
		fields, err := table.save()
		*list = append(*list, fields)
		problems = append(problems, err)
	}
	for _, d := range a.diskList {
		keep(&saved.Disks, d.fields())
	}
	for _, n := range a.interfaceList {
		keep(&saved.Interfaces, s.interfaceFields(n))
	}
	for _, i := range a.order {
		keep(&saved.Instances, s.instanceFields(a, i))
	}
	return saved, errors.Join(problems...)
}

func (s *Server) loadAccount(saved savedAccount) (*account, error) {
	if saved.ID == "" {
		return nil, errors.New("it has no id")
	}
	a := newAccount(saved.ID)
	a.sequence = saved.Sequence
	maps.Copy(a.taken, saved.Taken)
	maps.Copy(a.takenIPv6, saved.TakenIPv6)
	for n, fields := range saved.Disks {
		d := &disk{}
		if err := d.fields().load(fields); err != nil {
			return nil, fmt.Errorf("disk %d: %w", n+1, err)
		}
		a.disks[d.id] = d
		a.diskList = append(a.diskList, d)
	}
	for n, fields := range saved.Interfaces {
		card := &networkInterface{}
		if err := s.interfaceFields(card).load(fields); err != nil {
			return nil, fmt.Errorf("network interface %d: %w", n+1, err)
		}
		a.interfaces[card.id] = card
		a.interfaceList = append(a.interfaceList, card)
	}
	for n, fields := range saved.Instances {
		i := &instance{}
		if err := s.instanceFields(a, i).load(fields); err != nil {
			return nil, fmt.Errorf("instance %d: %w", n+1, err)
		}
		if i.id == "" || len(i.timeline) == 0 || i.instanceType == nil || i.image == nil || i.vpc == nil || i.vswitch == nil {
			return nil, fmt.Errorf("instance %d: it is incomplete", n+1)
		}
		a.instances[i.id] = i
		a.order = append(a.order, i)
	}
	return a, nil
}

func (d *disk) fields() fieldTable {
	return fieldTable{
		"id": &d.id, "region_id": &d.regionID, "zone_id": &d.zoneID, "instance_id": &d.instanceID, "name": &d.name,
		"description": &d.description, "category": &d.category, "performance_level": &d.performanceLevel, "size_gib": &d.sizeGiB,
		"system": &d.system, "delete_with_instance": &d.deleteWithInstance, "encrypted": &d.encrypted, "device": &d.device, "tags": &d.tags,
		"created_at": &d.createdAt, "attached_at": &d.attachedAt, "detached_at": &d.detachedAt, "image_id": &d.imageID, "snapshot_id": &d.snapshotID,
		"resource_group": &d.resourceGroup, "serial": &d.serial, "kms_key_id": &d.kmsKeyID, "snapshot_policy_id": &d.snapshotPolicyID,
		"delete_auto_snapshot": &d.deleteAutoSnapshot, "enable_auto_snapshot": &d.enableAutoSnapshot,
		"bursting_enabled": &d.burstingEnabled, "provisioned_iops": &d.provisionedIOPS, "pre_paid": &d.prePaid,
	}
}

func (s *Server) interfaceFields(n *networkInterface) fieldTable {
	t := fieldTable{
		"id": &n.id, "region_id": &n.regionID, "instance_id": &n.instanceID, "address": &n.address,
		"secondary_addresses": &n.secondaryAddresses, "ipv6_addresses": &n.ipv6Addresses, "security_groups": &n.securityGroups, "mac": &n.mac,
		"name": &n.name, "description": &n.description, "primary": &n.primary, "delete_on_release": &n.deleteOnRelease,
		"traffic_mode": &n.trafficMode, "resource_group": &n.resourceGroup, "tags": &n.tags, "created_at": &n.createdAt,
		"deleted_at": &n.deletedAt,
	}
	s.networkFields(t, &n.vpc, &n.vswitch)
	return t
}

// networkFields adds a vSwitch with its VPC, found by the vSwitch's id, which is one of a kind.
func (s *Server) networkFields(t fieldTable, vpc **VPC, vswitch **VSwitch) {
	t["vswitch"] = reference{
		target: vswitch,
		ids: func() []string {
			if *vswitch == nil {
				return nil
			}
			return []string{(*vswitch).ID}
		},
		find: func(ids []string) error {
			for n := range s.options.Catalogue.Regions {
				if network, found, ok := s.options.Catalogue.Regions[n].vswitch(ids[0]); ok {
					*vpc, *vswitch = network, found
					return nil
				}
			}
			return fmt.Errorf("the catalogue has no vswitch %q", ids[0])
		},
	}
}

func (s *Server) instanceFields(a *account, i *instance) fieldTable {
	t := fieldTable{
		"id": &i.id, "region_id": &i.regionID, "zone_id": &i.zoneID, "name": &i.name, "host_name": &i.hostName, "description": &i.description,
		"security_groups": &i.securityGroups, "address": &i.address, "public_address": &i.publicAddress, "interface_id": &i.interfaceID,
		"mac": &i.mac, "secondary_addresses": &i.secondaryAddresses, "ipv6_addresses": &i.ipv6Addresses, "serial": &i.serial, "tags": &i.tags,
		"charge_mode": &i.chargeMode, "spot_strategy": &i.spotStrategy, "spot_price_limit": &i.spotPriceLimit,
		"spot_duration": &i.spotDuration, "spot_interruption": &i.spotInterruption, "expires": &i.expires, "auto_release": &i.autoRelease,
		"deletion_protection": &i.deletionProtection, "credit_specification": &i.creditSpecification, "key_pair": &i.keyPair,
		"ram_role": &i.ramRole, "resource_group": &i.resourceGroup, "bandwidth_out": &i.bandwidthOut,
		"internet_charge_type": &i.internetChargeType, "http_endpoint": &i.httpEndpoint, "http_tokens": &i.httpTokens, "hop_limit": &i.hopLimit,
		"deployment_set": &i.deploymentSet, "deployment_set_group": &i.deploymentSetGroup, "private_pool_id": &i.privatePoolID,
		"private_pool_preference": &i.privatePoolPreference, "stopped_mode": &i.stoppedMode, "recyclable": &i.recyclable,
		"user_data": &i.userData, "sequence": &i.sequence, "created_at": &i.createdAt, "started_at": &i.startedAt,
		"visible_from": &i.visibleFrom, "visible_to": &i.visibleTo, "timeline": &i.timeline, "releasing": &i.releasing, "locks": &i.locks,
		"planned": &i.planned, "reclaim_at": &i.reclaimAt, "gone_at": &i.goneAt, "withdrawn": &i.withdrawn,
		"spec_changed_at": &i.specChangedAt, "console_at": &i.consoleAt, "auto_renew": &i.autoRenew, "auto_renew_period": &i.autoRenewPeriod,
		"period_unit": &i.periodUnit, "interface_tags": &i.interfaceTags,
	}
	s.networkFields(t, &i.vpc, &i.vswitch)
	t["instance_type"] = catalogueField("instance type", &i.instanceType, func(t *InstanceType) string { return t.ID }, s.options.Catalogue.InstanceTypes)
	t["image"] = catalogueField("image", &i.image, func(image *Image) string { return image.ID }, s.options.Catalogue.Images)
	// What is gone already is left out: an instance that reads still list keeps the names of its disks.
	t["disks"] = ownedField(&i.disks, func(d *disk) string { return d.id }, a.disks)
	t["interfaces"] = ownedField(&i.interfaces, func(n *networkInterface) string { return n.id }, a.interfaces)
	return t
}

func catalogueField[T any](kind string, target **T, id func(*T) string, all []T) reference {
	return reference{
		target: target,
		ids: func() []string {
			if *target == nil {
				return nil
			}
			return []string{id(*target)}
		},
		find: func(ids []string) error {
			for n := range all {
				if id(&all[n]) == ids[0] {
					*target = &all[n]
					return nil
				}
			}
			return fmt.Errorf("the catalogue has no %s %q", kind, ids[0])
		},
	}
}

func ownedField[T any](target *[]*T, id func(*T) string, all map[string]*T) reference {
	return reference{
		target: target,
		ids: func() []string {
			var ids []string
			for _, item := range *target {
				ids = append(ids, id(item))
			}
			return ids
		},
		find: func(ids []string) error {
			for _, id := range ids {
				if item := all[id]; item != nil {
					*target = append(*target, item)
				}
			}
			return nil
		},
	}
}
