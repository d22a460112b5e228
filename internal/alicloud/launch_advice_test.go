package alicloud_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestARefusedLaunchSaysWhichQuotaOrArgumentItIsAbout(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for code, want := range map[string]struct{ reason, about string }{
		"QuotaExceed.AfterpayInstance":     {v1alpha3.ReasonQuotaExceeded, "the account's quota of pay-as-you-go instances in the region"},
		"QuotaExceeded":                    {v1alpha3.ReasonQuotaExceeded, "the number of instances in the VPC of vswitch_ids"},
		"QuotaExceed.PostPaidDisk":         {v1alpha3.ReasonQuotaExceeded, "pay-as-you-go disks"},
		"SecurityGroupInstanceLimitExceed": {v1alpha3.ReasonQuotaExceeded, "name another one in security_group_ids"},
		"InvalidAccount.NotSupportSpot":    {v1alpha3.ReasonRefused, "capacity_types"},
		"InvalidKeyPairName.NotFound":      {v1alpha3.ReasonInvalidConfiguration, "about key_pair_name)"},
		"InvalidUser.PassRoleForbidden":    {v1alpha3.ReasonPermissionDenied, "about ram_role_name, for which the permission ram:PassRole on that role is missing)"},
		"InvalidVSwitch.Ipv6NotTurnOn":     {v1alpha3.ReasonInvalidConfiguration, "about ipv6)"},
		"InvalidVSwitchId.NotFound":        {v1alpha3.ReasonInvalidConfiguration, "about vswitch_ids)"},
		"InvalidDataDiskSize.ValueNotSupported": {
			v1alpha3.ReasonInvalidConfiguration, "about data_disks)",
		},
		"InvalidHttpTokens.NotSupported": {v1alpha3.ReasonInvalidConfiguration, "about metadata_options)"},
		"InvalidUserData.SizeExceeded":   {v1alpha3.ReasonInvalidConfiguration, "about user_data_wo)"},
		"OperationDenied.NoStock":        {v1alpha3.ReasonInsufficientCapacity, "OperationDenied.NoStock"},
		"QuotaExceeded.PrivateIpAddress": {v1alpha3.ReasonNetworkFull, "QuotaExceeded.PrivateIpAddress"},
		"InvalidVSwitchId.IpNotEnough":   {v1alpha3.ReasonNetworkFull, "InvalidVSwitchId.IpNotEnough"},
		"InvalidSpotPriceLimit.LowerThanPublicPrice": {
			v1alpha3.ReasonTermsNotOffered, "InvalidSpotPriceLimit.LowerThanPublicPrice",
		},
		"QuotaExceed.DiskCapacity": {v1alpha3.ReasonTermsNotOffered, "QuotaExceed.DiskCapacity"},
	} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: code, HTTPStatus: 400})

		_, err := b.begin(t.Context(), t, b.allocation(t, "worker-a"))
		wantPermanent(t, err, want.reason, code, want.about, "request")

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}
}
