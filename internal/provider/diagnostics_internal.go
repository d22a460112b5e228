package provider

import "strings"

// ownFault is the text of a failure that neither the user nor the cloud has caused: a
// value that the provider itself has made cannot be read or written. Kept says what
// became of what it was about.
func ownFault(err error, kept string) string {
	return sentence(err) + " " + kept + " This is a fault of the provider: please report it, with this text and the versions of Terraform and of the provider."
}

// malformedProviderID tells which form a provider ID has.
func malformedProviderID(err error) string {
	return sentence(err) + " A provider ID is <region>.<instance-id>, such as cn-hangzhou.i-bp1abc; without the region where the provider has one."
}

// sentence is an error's text with its full stop.
func sentence(err error) string { return strings.TrimSuffix(err.Error(), ".") + "." }
