package alicloud

import (
	"errors"
	"fmt"
	"strings"
)

// The disk categories that rules speak of.
const (
	categoryESSD = "cloud_essd"
	categoryAuto = "cloud_auto"
)

const (
	// defaultSystemDiskGiB is what ECS makes a system disk at least, where no size is
	// given.
	defaultSystemDiskGiB = 40
	largestProvisioned   = 50_000
)

func (s *ClassSpec) validateSystemDisk() error {
	if s.SystemDisk == nil {
		return nil
	}

	const field = "system_disk"

	disk := s.SystemDisk.DiskSpec
	problems := []error{checkWord(field+".category", disk.Category, systemDiskCategories()), disk.validateOptions(field)}

	least, most := systemDiskSizes(disk.Category, disk.PerformanceLevel)

	switch size := disk.SizeGiB; {
	case size == 0 && least > defaultSystemDiskGiB:
		problems = append(problems, fmt.Errorf("%s.size_gib: it is not set, and %s needs at least %d", field, disk.kind(), least))
	case size != 0 && (size < least || size > most):
		problems = append(problems, fmt.Errorf("%s.size_gib: %d is not between %d and %d, the sizes of %s", field, size, least, most, disk.kind()))
	}

	return errors.Join(problems...)
}

func (s *ClassSpec) validateDataDisks() error {
	var problems []error

	if count := len(s.DataDisks); count > mostDataDisks {
		problems = append(problems, fmt.Errorf("data_disks: %d are more than %d", count, mostDataDisks))
	}

	for i := range s.DataDisks {
		problems = append(problems, s.validateDataDisk(fmt.Sprintf("data_disks[%d]", i), s.dataDisk(i)))
	}

	return errors.Join(problems...)
}

// dataDisk returns a data disk as it is launched.
func (s *ClassSpec) dataDisk(index int) DataDiskSpec {
	disk := s.DataDisks[index]
	if disk.Category == "" && s.SystemDisk != nil {
		disk.Category = s.SystemDisk.Category
	}

	return disk
}

func (s *ClassSpec) validateDataDisk(field string, disk DataDiskSpec) error {
	problems := []error{checkWord(field+".category", disk.Category, dataDiskCategories()), disk.validateOptions(field)}

	least, most := dataDiskSizes(disk.Category, disk.PerformanceLevel)

	switch size := disk.SizeGiB; {
	case size == 0 && disk.SnapshotID == "":
		problems = append(problems, fmt.Errorf("%s.size_gib: neither it nor snapshot_id is set", field))
	case size != 0 && (size < least || size > most):
		problems = append(problems, fmt.Errorf("%s.size_gib: %d is not between %d and %d, the sizes of %s", field, size, least, most, disk.kind()))
	}

	if strings.HasPrefix(disk.Category, ephemeralCategory) && disk.DeleteWithInstance != nil && !*disk.DeleteWithInstance {
		problems = append(problems, fmt.Errorf("%s.delete_with_instance: a disk of the category %s cannot outlive its machine", field, disk.Category))
	}

	return errors.Join(problems...)
}

// validateOptions checks what goes with some categories only.
func (d DiskSpec) validateOptions(field string) error {
	problems := []error{checkWord(field+".performance_level", d.PerformanceLevel, []string{"PL0", "PL1", "PL2", "PL3"})}

	if d.PerformanceLevel != "" && d.Category != categoryESSD {
		problems = append(problems, fmt.Errorf("%s.performance_level: it is of the category %s only, and category is %s", field, categoryESSD, orUnset(d.Category)))
	}

	burst := d.BurstEnabled != nil && *d.BurstEnabled
	for _, option := range []struct {
		name string
		set  bool
	}{{name: "provisioned_iops", set: d.ProvisionedIOPS != 0}, {name: "burst_enabled", set: burst}} {
		if option.set && d.Category != categoryAuto {
			problems = append(problems, fmt.Errorf("%s.%s: it is of the category %s only, and category is %s", field, option.name, categoryAuto, orUnset(d.Category)))
		}
	}

	if d.ProvisionedIOPS < 0 || d.ProvisionedIOPS > largestProvisioned {
		problems = append(problems, fmt.Errorf("%s.provisioned_iops: %d is not between 0 and %d", field, d.ProvisionedIOPS, largestProvisioned))
	}

	if d.KMSKeyID != "" && (d.Encrypted == nil || !*d.Encrypted) {
		problems = append(problems, fmt.Errorf("%s.kms_key_id: it is set, and encrypted is not true", field))
	}

	return errors.Join(problems...)
}

// kind names what the sizes depend on.
func (d DiskSpec) kind() string {
	switch {
	case d.Category == "":
		return "a disk"
	case d.PerformanceLevel != "":
		return d.Category + " " + d.PerformanceLevel
	default:
		return d.Category
	}
}

// systemDiskSizes returns the bounds in GiB. Of a disk whose category ECS chooses
// only the widest bounds are known.
//
// Source: RunInstances, "SystemDisk.Size".
func systemDiskSizes(category, level string) (least, most int64) {
	switch category {
	case "", categoryAuto:
		return 1, largestSystemDiskGiB
	case categoryESSD:
		return leastESSD(level), largestSystemDiskGiB
	case "cloud":
		return 20, 500
	case "cloud_essd_entry":
		return 10, largestSystemDiskGiB
	default:
		return 20, largestSystemDiskGiB
	}
}

// dataDiskSizes is systemDiskSizes for data disks.
//
// Source: RunInstances, "DataDisk.N.Size".
func dataDiskSizes(category, level string) (least, most int64) {
	const largestOlder = 32768

	switch category {
	case categoryESSD:
		return leastESSD(level), largestDataDiskGiB
	case "cloud":
		return 5, 2000
	case "cloud_efficiency", "cloud_ssd":
		return 20, largestOlder
	case "cloud_essd_entry":
		return 10, largestOlder
	case ephemeralCategory + "_standard", ephemeralCategory + "_premium":
		return 64, 8192
	default:
		return 1, largestDataDiskGiB
	}
}

func leastESSD(level string) int64 {
	switch level {
	case "PL0":
		return 1
	case "PL2":
		return 461
	case "PL3":
		return 1261
	default:
		return 20
	}
}

func orUnset(value string) string {
	if value == "" {
		return "not set"
	}

	return value
}
