package alicloud

import (
	"fmt"
	"hash/fnv"
	"maps"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// The reserved tags. They are public: anybody who may list the machine reads them.
const (
	tagOwner       = driver.ReservedTagPrefix + "owner"
	tagShard       = driver.ReservedTagPrefix + "shard"
	tagClassUID    = driver.ReservedTagPrefix + "class-uid"
	tagName        = driver.ReservedTagPrefix + "name"
	tagFingerprint = driver.ReservedTagPrefix + "fingerprint"
	tagClaim       = driver.ReservedTagPrefix + "claim"
	tagSettled     = driver.ReservedTagPrefix + string(driver.MarkSettled)
	tagReleasing   = driver.ReservedTagPrefix + string(driver.MarkReleasing)
	tagReplacing   = driver.ReservedTagPrefix + string(driver.MarkReplacing)
	// tagOperation holds what is under way on the machine; see intent.
	tagOperation = driver.ReservedTagPrefix + "operation"
)

// shards is into how many parts an owner's machines fall, so that each part stays
// below the 1,000 matches up to which a tag filter is correct
// (DescribeInstances, "Tag.N.Key").
const shards = 32

func shardOf(name string) string {
	hash := fnv.New32a()
	hash.Write([]byte(name))

	return shardName(hash.Sum32() % shards)
}

func shardName(shard uint32) string { return fmt.Sprintf("%02d", shard) }

// identityTags returns the reserved tags that say whose machine it is. Empty
// fields give no tag.
func identityTags(identity driver.MachineIdentity) map[string]string {
	tags := map[string]string{}

	set := func(key, value string) {
		if value != "" {
			tags[key] = value
		}
	}

	set(tagOwner, identity.Owner)
	set(tagClassUID, identity.ClassUID)
	set(tagName, identity.Allocation)
	set(tagFingerprint, identity.Fingerprint)
	set(tagClaim, identity.Claim)

	if identity.Allocation != "" {
		set(tagShard, shardOf(identity.Allocation))
	}

	return tags
}

// launchTags are the user's tags and the reserved ones, all in the launch itself, so
// that no machine of ours is ever without them. The reserved ones win.
func launchTags(users map[string]string, identity driver.MachineIdentity) map[string]string {
	tags := maps.Clone(users)
	if tags == nil {
		tags = map[string]string{}
	}

	maps.Copy(tags, identityTags(identity))

	return tags
}

func identityOf(tags map[string]string) driver.MachineIdentity {
	return driver.MachineIdentity{
		Owner:       tags[tagOwner],
		ClassUID:    tags[tagClassUID],
		Allocation:  tags[tagName],
		Fingerprint: tags[tagFingerprint],
		Claim:       tags[tagClaim],
	}
}

// userTags returns the tags that are not reserved.
func userTags(tags map[string]string) map[string]string {
	users := map[string]string{}

	for key, value := range tags {
		if !strings.HasPrefix(key, driver.ReservedTagPrefix) {
			users[key] = value
		}
	}

	return users
}

// marked reports whether the tags hold the mark. A mark says what it says by being
// there; its value is for people.
func marked(tags map[string]string, mark string) bool {
	_, there := tags[mark]

	return there
}
