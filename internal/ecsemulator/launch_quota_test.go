package ecsemulator_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestLaunchesEndAtTheQuotas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		quotas ecsemulator.Quotas
		code   string
		// another is what still goes.
		another values
		status  int
	}{
		"pay-as-you-go instances": {ecsemulator.Quotas{PostPaidInstances: 2}, "QuotaExceed.AfterpayInstance", values{"InstanceChargeType": "PrePaid", "Period": "1"}, 400},
		"instances of a group":    {ecsemulator.Quotas{SecurityGroupInstances: 2}, "SecurityGroupInstanceLimitExceed", values{"SecurityGroupId": "sg-2"}, 403},
		"vCPUs of a family":       {ecsemulator.Quotas{FamilyVCPUs: 5}, "QuotaExceed.ElasticQuota", values{"VSwitchId": "vsw-b"}, 403},
		"vCPUs of another family": {ecsemulator.Quotas{FamilyVCPUs: 5}, "QuotaExceed.ElasticQuota", values{"InstanceType": "ecs.g6.large"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			catalogue, err := ecsemulator.DefaultCatalogue()
			if err != nil {
				t.Fatal(err)
			}
			catalogue.Quotas = test.quotas
			server := still(t, ecsemulator.Options{Catalogue: catalogue})
			client := newClient(t, server)
			client.ok("RunInstances", launch().with(values{"Amount": "2"}))
			client.refused("RunInstances", launch(), test.code, test.status)
			client.ok("RunInstances", launch().with(test.another))
		})
	}
}
