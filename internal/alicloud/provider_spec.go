package alicloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// providerSpec is the provider spec of a MachineClass, as Kubernetes users of this
// cloud write it. A field that is left out is left to ECS.
type providerSpec struct {
	APIVersion string
	Kind       string

	ImageID                 string
	InstanceType            string
	Region                  string
	ZoneID                  string
	SecurityGroupID         string
	VSwitchID               string
	PrivateIPAddress        string
	SystemDisk              *specSystemDisk
	DataDisks               []specDataDisk
	InstanceChargeType      string
	InternetChargeType      string
	InternetMaxBandwidthIn  *int
	InternetMaxBandwidthOut *int
	SpotStrategy            string
	IoOptimized             string
	KeyPairName             string
	Tags                    map[string]string
}

// specSystemDisk is the system disk; the size is in GiB.
type specSystemDisk struct {
	Category string
	Size     int64
}

// specDataDisk is one data disk; the size is in GiB.
type specDataDisk struct {
	Name               string
	Category           string
	Description        string
	Encrypted          bool
	DeleteWithInstance *bool
	Size               int64
}

// decodeProviderSpec reads and validates a provider spec. Its error names every
// problem with its field.
func decodeProviderSpec(raw []byte) (*providerSpec, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("provider spec: it is empty")
	}

	var spec providerSpec
	if err := spec.decode(raw); err != nil {
		return nil, fmt.Errorf("provider spec: %w", err)
	}

	if err := spec.validate(); err != nil {
		return nil, fmt.Errorf("provider spec: %w", err)
	}

	return &spec, nil
}

func (s *providerSpec) decode(raw []byte) error {
	return decodeFields("", raw, map[string]fieldDecoder{
		"apiVersion":              into(&s.APIVersion),
		"kind":                    into(&s.Kind),
		"imageID":                 into(&s.ImageID),
		"instanceType":            into(&s.InstanceType),
		"region":                  into(&s.Region),
		"zoneID":                  into(&s.ZoneID),
		"securityGroupID":         into(&s.SecurityGroupID),
		"vSwitchID":               into(&s.VSwitchID),
		"privateIPAddress":        into(&s.PrivateIPAddress),
		"systemDisk":              s.decodeSystemDisk,
		"dataDisks":               s.decodeDataDisks,
		"instanceChargeType":      into(&s.InstanceChargeType),
		"internetChargeType":      into(&s.InternetChargeType),
		"internetMaxBandwidthIn":  into(&s.InternetMaxBandwidthIn),
		"internetMaxBandwidthOut": into(&s.InternetMaxBandwidthOut),
		"spotStrategy":            into(&s.SpotStrategy),
		"IoOptimized":             into(&s.IoOptimized),
		"keyPairName":             into(&s.KeyPairName),
		"tags":                    into(&s.Tags),
	})
}

func (s *providerSpec) decodeSystemDisk(field string, raw json.RawMessage) error {
	s.SystemDisk = &specSystemDisk{}

	return decodeFields(field+".", raw, map[string]fieldDecoder{
		"category": into(&s.SystemDisk.Category),
		"size":     into(&s.SystemDisk.Size),
	})
}

func (s *providerSpec) decodeDataDisks(field string, raw json.RawMessage) error {
	var elements []json.RawMessage
	if err := into(&elements)(field, raw); err != nil {
		return err
	}

	var problems []error

	s.DataDisks = make([]specDataDisk, len(elements))
	for i, element := range elements {
		disk := &s.DataDisks[i]
		problems = append(problems, decodeFields(fmt.Sprintf("%s[%d].", field, i), element, map[string]fieldDecoder{
			"name":               into(&disk.Name),
			"category":           into(&disk.Category),
			"description":        into(&disk.Description),
			"encrypted":          into(&disk.Encrypted),
			"deleteWithInstance": into(&disk.DeleteWithInstance),
			"size":               into(&disk.Size),
		}))
	}

	return errors.Join(problems...)
}

// fieldDecoder reads the value of the named field.
type fieldDecoder func(field string, raw json.RawMessage) error

// into returns a decoder that stores a value; JSON's null stores nothing.
func into[T any](target *T) fieldDecoder {
	return func(field string, raw json.RawMessage) error {
		err := json.Unmarshal(raw, target)

		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) {
			return fmt.Errorf("%s: it is a %s, want %s", field, mismatch.Value, mismatch.Type)
		}

		if err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}

		return nil
	}
}

// decodeFields reads an object field by field, so that one wrong field does not hide
// another. A field that is not known is a problem, as it has no effect.
func decodeFields(prefix string, raw []byte, fields map[string]fieldDecoder) error {
	where := strings.TrimSuffix(prefix, ".")
	if where != "" {
		where += ": "
	}

	decoder := json.NewDecoder(bytes.NewReader(raw))

	var values map[string]json.RawMessage
	if err := decoder.Decode(&values); err != nil {
		return fmt.Errorf("%sit is not a JSON object: %w", where, err)
	}

	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%sit has text after its end", where)
	}

	var problems []error

	for _, name := range slices.Sorted(maps.Keys(values)) {
		decode, known := fields[name]
		if !known {
			problems = append(problems, fmt.Errorf("%s%s: there is no such field", prefix, name))

			continue
		}

		problems = append(problems, decode(prefix+name, values[name]))
	}

	return errors.Join(problems...)
}

func (s *providerSpec) launchDataDisks() []ecs.DataDisk {
	var disks []ecs.DataDisk

	for _, disk := range s.DataDisks {
		disks = append(disks, ecs.DataDisk{
			Disk:               ecs.Disk{Category: disk.Category, SizeGiB: disk.Size, Encrypted: disk.Encrypted},
			Name:               disk.Name,
			Description:        disk.Description,
			DeleteWithInstance: disk.DeleteWithInstance,
		})
	}

	return disks
}
