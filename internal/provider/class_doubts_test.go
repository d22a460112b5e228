package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// A number that is not whole is the configuration's mistake, not the provider's, and is
// named.
func TestNumbersThatAreNotWholeAreNamed(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		change plainly
		want   string
	}{
		"half a size":           {systemDisk(plainly{"size_gib": 40.5}), "Not a whole number: alicloud.system_disk.size_gib is 40.5"},
		"a size beyond all":     {systemDisk(plainly{"size_gib": 1e30}), "Number too large: alicloud.system_disk.size_gib is 1e+30"},
		"a size below all":      {systemDisk(plainly{"size_gib": -1e30}), "Number too large: alicloud.system_disk.size_gib is -1e+30"},
		"a part of a data disk": {dataDisk(plainly{"size_gib": 0.5}), "Not a whole number: alicloud.data_disks[1].size_gib is 0.5"},
		"IOPS":                  {systemDisk(plainly{"category": "cloud_auto", "size_gib": 40, "provisioned_iops": 10.25}), "alicloud.system_disk.provisioned_iops is 10.25"},
		"a bound":               {required(plainly{"vcpus": plainly{"max": 2.5}}), "alicloud.requirements.vcpus.max is 2.5"},
		"half a month":          {paidAhead(plainly{"period": 0.5}), "alicloud.subscription.period is 0.5"},
		"a renewal":             {paidAhead(plainly{"period": 1, "auto_renew": true, "auto_renew_period": 1.5}), "alicloud.subscription.auto_renew_period is 1.5"},
		"an hour of protection": {plainly{"capacity_types": []string{"spot"}, "spot": plainly{"protection_hours": 0.5}}, "alicloud.spot.protection_hours is 0.5"},
		"bandwidth out":         {plainly{"internet": plainly{"bandwidth_out_mbps": 1e300}}, "alicloud.internet.bandwidth_out_mbps is 1e+300"},
		"bandwidth in":          {plainly{"internet": plainly{"bandwidth_out_mbps": 5, "bandwidth_in_mbps": 5.5}}, "alicloud.internet.bandwidth_in_mbps is 5.5"},
		"addresses":             {plainly{"ipv6": plainly{"address_count": 1.5}}, "alicloud.ipv6.address_count is 1.5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			said := validated(t, smallClass(test.change))
			if len(said) != 1 || said[0].Severity != tfprotov6.DiagnosticSeverityError {
				t.Fatalf("said is %v", texts(said))
			}

			if text := texts(said)[0]; !strings.HasPrefix(text, test.want) && !strings.Contains(text, ": "+test.want) || strings.Contains(text, "provider") {
				t.Errorf("said is %q", text)
			}
		})
	}
}

func texts(said []*tfprotov6.Diagnostic) []string {
	var texts []string
	for _, diagnostic := range said {
		texts = append(texts, diagnostic.Summary+": "+diagnostic.Detail)
	}

	return texts
}

// What need not be a mistake is warned of, and no more.
func TestWhatAClassMayNotMeanIsWarnedOf(t *testing.T) {
	t.Parallel()

	const unbounded = "Requirements without an upper bound"

	for name, test := range map[string]struct {
		change plainly
		want   string
	}{
		"spot terms on demand":      {plainly{"spot": plainly{"price_limit_per_hour": 0.1}}, "Spot terms without a use: alicloud.spot: spot is set"},
		"spot terms, spot left out": {plainly{"capacity_types": []string{"on_demand"}, "spot": plainly{"interruption": "stop"}}, "Spot terms without a use"},
		"spot terms for spot":       {plainly{"capacity_types": []string{"spot", "on_demand"}, "spot": plainly{"interruption": "stop"}}, ""},
		"spot terms, not known":     {plainly{"capacity_types": notKnown{}, "spot": plainly{"interruption": "stop"}}, ""},
		"spot terms, one not known": {plainly{"capacity_types": []any{"on_demand", notKnown{}}, "spot": plainly{"interruption": "stop"}}, ""},
		"vCPUs bounded below":       {required(plainly{"vcpus": plainly{"min": 2}}), unbounded},
		"all bounded below":         {required(plainly{"vcpus": plainly{"min": 2}, "memory_gib": plainly{"min": 2}, "memory_gib_per_vcpu": plainly{"max": 4}}), unbounded},
		"vCPUs bounded":             {required(plainly{"vcpus": plainly{"min": 2, "max": 4}}), ""},
		"memory bounded":            {required(plainly{"vcpus": plainly{"min": 2}, "memory_gib": plainly{"max": 64}}), ""},
		"families":                  {required(plainly{"vcpus": plainly{"min": 2}, "families": []string{"ecs.g7"}}), ""},
		"a bound that is not known": {required(plainly{"vcpus": plainly{"min": 2, "max": notKnown{}}}), ""},
		"bounds that are not known": {required(plainly{"vcpus": notKnown{}}), ""},
		"GPUs bounded":              {required(plainly{"gpus": plainly{"min": 1, "max": 1}}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			said := validated(t, smallClass(test.change))

			switch {
			case test.want == "" && len(said) > 0:
				t.Errorf("said is %q", texts(said))
			case test.want != "" && (len(said) != 1 || said[0].Severity != tfprotov6.DiagnosticSeverityWarning || !strings.HasPrefix(texts(said)[0], test.want)):
				t.Errorf("said is %q, want %q", texts(said), test.want)
			}
		})
	}
}

// Terraform shows a resource and the argument of it; which part is wrong, the text says.
func TestMistakesInPartsAreNamedInTheText(t *testing.T) {
	t.Parallel()

	for want, change := range map[string]plainly{
		"alicloud.data_disks[1].size_gib: A disk of any category has":                     dataDisk(plainly{"size_gib": 70000}),
		"alicloud.data_disks[1].kms_key_id: kms_key_id is set":                            dataDisk(plainly{"size_gib": 40, "kms_key_id": "k"}),
		"alicloud.system_disk.size_gib: A disk of cloud_essd PL2":                         systemDisk(plainly{"category": "cloud_essd", "performance_level": "PL2", "size_gib": 40}),
		"alicloud.requirements.memory_gib: min is 8 and max is 4":                         required(plainly{"vcpus": plainly{"max": 4}, "memory_gib": plainly{"min": 8, "max": 4}}),
		"alicloud.spot.price_limit_per_hour: A price per hour is above zero":              {"capacity_types": []string{"spot"}, "spot": plainly{"price_limit_per_hour": 0}},
		"alicloud.subscription.period: ECS sells no subscription of 10 months":            paidAhead(plainly{"period": 10}),
		"alicloud.data_disks[1] is null. Give it a value, or leave it out: [for":          {"data_disks": []any{plainly{"size_gib": 40}, nil}},
		"is null. Give it a value, or leave it out: { for key, value":                     {"tags": plainly{"a": nil}},
		"alicloud.vswitch_ids[0] is null. Give it a value, or leave it out: compact(...)": {"vswitch_ids": []any{nil, "vsw-a"}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()

			if said := strings.Join(texts(validated(t, smallClass(change))), "\n"); !strings.Contains(said, want) {
				t.Errorf("said is %q", said)
			}
		})
	}
}
