package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Identity names one allocation. It is all that can be computed again after a
// process was killed, so everything that must be found again derives from it.
type Identity struct {
	// Owner is whose machines these are.
	Owner string
	// ClassUID keeps configurations apart that share an owner.
	ClassUID types.UID
	// Name is the allocation's name.
	Name string
}

// UID is the allocation's incarnation-independent UID: a hash of the identity.
func (i Identity) UID() types.UID {
	return types.UID(digest("allocation", i.Owner, string(i.ClassUID), i.Name))
}

// OperationUID is the UID of the launch with the given index, counted from 0.
func (i Identity) OperationUID(index int) types.UID {
	return types.UID(digest("launch", string(i.UID()), strconv.Itoa(index)))
}

// LaunchClaim is the claim that the launch with the given index writes on its
// machine. It is computed, so that a repeated launch is the same launch. One of an
// epoch tells its index, which is too far out to be searched for.
func (i Identity) LaunchClaim(index int) string {
	claim := digest("claim", string(i.UID()), strconv.Itoa(index))
	if index < mostLaunches {
		return claim
	}

	return claim + indexSeparator + strconv.Itoa(index)
}

const (
	// mostLaunches bounds the search for the launch that wrote a claim.
	mostLaunches = 1000
	// indexSeparator stands before the index that a claim tells.
	indexSeparator = "-"
	// epoch is for how long launches that come after unknown predecessors begin at one
	// index, and launchesPerEpoch is how many there are before those of the next. It is
	// shorter than the window, which a process waits before it begins at an epoch's
	// index: so an earlier process has left that epoch by then.
	epoch            = 30 * time.Second
	launchesPerEpoch = 100
)

// firstEpoch is when epochs are counted from.
func firstEpoch() time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) }

// EpochIndex is the index at which launches begin that come after an unknown number
// of predecessors: no earlier epoch has spent it. It fits 32 bits for 20 years.
func EpochIndex(now time.Time) int {
	return mostLaunches + max(0, int(now.Sub(firstEpoch())/epoch))*launchesPerEpoch
}

// launchIndex returns which launch of the identity wrote the claim, if one did.
func (i Identity) launchIndex(claim string) (int, bool) {
	if claim == "" {
		return 0, false
	}

	if _, told, there := strings.Cut(claim, indexSeparator); there {
		index, err := strconv.Atoi(told)

		return index, err == nil && i.LaunchClaim(index) == claim
	}

	for index := range mostLaunches {
		if i.LaunchClaim(index) == claim {
			return index, true
		}
	}

	return 0, false
}

// digest hashes parts so that no two lists of parts are taken for each other, and
// returns 32 hexadecimal digits.
func digest(parts ...string) string {
	sum := sha256.New()

	for _, part := range parts {
		sum.Write([]byte(strconv.Itoa(len(part))))
		sum.Write([]byte{':'})
		sum.Write([]byte(part))
	}

	return hex.EncodeToString(sum.Sum(nil)[:16])
}
