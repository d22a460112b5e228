package ecs

import "strings"

// RegionFromEnvironment returns the region in ALIBABA_CLOUD_REGION, else in
// ALICLOUD_REGION, else in ALIBABACLOUD_REGION, else "". lookup is os.LookupEnv.
func RegionFromEnvironment(lookup func(string) (string, bool)) string {
	return environmentValue(lookup, "ALIBABA_CLOUD_REGION", "ALICLOUD_REGION", "ALIBABACLOUD_REGION")
}

// EndpointsFromEnvironment returns the endpoints in ALIBABA_CLOUD_ENDPOINT_ECS,
// _VPC and _STS, else in ECS_ENDPOINT, VPC_ENDPOINT and STS_ENDPOINT. They are
// not checked here; New does. lookup is os.LookupEnv.
func EndpointsFromEnvironment(lookup func(string) (string, bool)) Endpoints {
	return Endpoints{
		ECS: environmentValue(lookup, "ALIBABA_CLOUD_ENDPOINT_ECS", "ECS_ENDPOINT"),
		VPC: environmentValue(lookup, "ALIBABA_CLOUD_ENDPOINT_VPC", "VPC_ENDPOINT"),
		STS: environmentValue(lookup, "ALIBABA_CLOUD_ENDPOINT_STS", "STS_ENDPOINT"),
	}
}

// EndpointVariables returns, for each endpoint of EndpointsFromEnvironment, the variable
// that holds it.
func EndpointVariables(lookup func(string) (string, bool)) Endpoints {
	return Endpoints{
		ECS: environmentVariable(lookup, "ALIBABA_CLOUD_ENDPOINT_ECS", "ECS_ENDPOINT"),
		VPC: environmentVariable(lookup, "ALIBABA_CLOUD_ENDPOINT_VPC", "VPC_ENDPOINT"),
		STS: environmentVariable(lookup, "ALIBABA_CLOUD_ENDPOINT_STS", "STS_ENDPOINT"),
	}
}

// environmentVariable returns the name of the first of the variables that holds more
// than blanks; "" if none does.
func environmentVariable(lookup func(string) (string, bool), names ...string) string {
	for _, name := range names {
		if environmentValue(lookup, name) != "" {
			return name
		}
	}
	return ""
}

// environmentValue returns the first of the variables that holds more than blanks.
func environmentValue(lookup func(string) (string, bool), names ...string) string {
	for _, name := range names {
		if value, set := lookup(name); set {
			if value = strings.TrimSpace(value); value != "" {
				return value
			}
		}
	}
	return ""
}
