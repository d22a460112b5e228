package provider

import "strings"

// ownFault is the text of a failure that neither the user nor the cloud has caused: a
// value that the provider itself has made cannot be read or written. Kept says what
// became of what it was about.
func ownFault(err error, kept string) string {
	return sentence(err) + " " + kept + " This is a fault of the provider: please report it, with this text and the versions of Terraform and of the provider."
}

// malformedProviderID is the text of what the configuration gives as a provider ID and
// is none. The driver says which form one has.
func malformedProviderID(err error) string {
	return sentence(err) + " Correct it in the configuration."
}

// malformedImportID is the same of the ID of an import, which stands in an import block
// or in the command.
func malformedImportID(err error) string {
	return sentence(err) + " Correct the id of the import block, or that of the terraform import command."
}

// unreadable is the text of a private state that cannot be read: what it is about is in
// err, and only a version that knows its form can go on with it.
func unreadable(whose string, err error) string {
	return "The private state of the " + whose + " cannot be read: " + sentence(err) + " Use the version of the provider that wrote it, or a later one."
}

// sentence is an error's text with its full stop.
func sentence(err error) string { return strings.TrimSuffix(err.Error(), ".") + "." }
