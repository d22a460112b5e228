package provider

import (
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// alicloudRemedies say what to do next where a call to Alibaba Cloud does not get as far
// as to be judged, and what to do then.
func alicloudRemedies(a again) map[string]string {
	return map[string]string{
		v1alpha3.ReasonCredentialsRefused: "Check the AccessKey: alicloud.access_key_id and access_key_secret in the provider block, or ALIBABA_CLOUD_ACCESS_KEY_ID and " +
			"ALIBABA_CLOUD_ACCESS_KEY_SECRET in the environment (and the security token of temporary credentials)" + a.then() + ".",
		v1alpha3.ReasonCredentialsMissing: "Give credentials in one of the places named above (a profile made by aliyun configure, say, or ALIBABA_CLOUD_ACCESS_KEY_ID and " +
			"ALIBABA_CLOUD_ACCESS_KEY_SECRET in the environment)" + a.then() + ".",
		v1alpha3.ReasonCredentialsUnavailable: "The source of the credentials gave none. Correct it as the text above says, or name another one in the provider's alicloud argument or " +
			"in the environment" + a.then() + ".",
		v1alpha3.ReasonUnreachable: "Check the endpoint and the region, and whether this host may call it (alicloud.endpoints, region, protocol, proxy and ca_file " +
			"in the provider block, or the environment variables that stand for them)" + a.then() + ".",
	}
}

// alicloudAnswerRemedy says what to do next about an answer of ECS that decides nothing by
// itself, since another attempt may get another one, and what to do then; empty where
// there is nothing to say.
func alicloudAnswerRemedy(said string, a again) string {
	// The second one is what the first was called before.
	if strings.HasPrefix(said, "InvalidTimeStamp.Expired") || strings.HasPrefix(said, "IllegalTimestamp") {
		return "The clock of this host is off: ECS takes calls whose time is at most 15 minutes from its own. Set it right, by a time service, say" + a.then() + "."
	}

	return ""
}
