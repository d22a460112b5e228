package crashtest

import (
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// releaseKeepingDisks releases a machine whose data disk is to stay.
func releaseKeepingDisks() Scenario {
	withDisk := class(change{"data_disks", "[{ size_gib = 40 }]"})

	return Scenario{
		Name: "release-keeping-disks", before: []step{apply(withDisk + allocation(change{"retain_disks_on_release", "true"}))},
		victim: apply(withDisk), launches: 1, end: end{disks: 1},
	}
}

// judgeDisks wants as many data disks to outlive their machines as the scenario keeps,
// with every ending.
func (v *Verdict) judgeDisks(end end, disks []ecsemulator.Disk) {
	kept := 0

	for _, disk := range disks {
		if !disk.System && !disk.DeleteWithInstance {
			kept++
		}
	}

	if kept != end.disks {
		v.Problems = append(v.Problems, fmt.Sprintf("%d data disks are kept, want %d", kept, end.disks))
	}
}
