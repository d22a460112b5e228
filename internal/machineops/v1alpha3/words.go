package v1alpha3

// The names of OperationRequest.Parameters that travel with HostAllocate.
const (
	// ParameterOwner is whose machine it is (the provider's owner argument).
	ParameterOwner = "owner"
	// ParameterFingerprint is a hash of every input that forces replacement.
	ParameterFingerprint = "fingerprint"
	// ParameterClaim says which run holds the machine.
	ParameterClaim = "claim"
	// ParameterNotBefore is the time (RFC 3339) since which the host has to have been
	// created. It is there for a launch whose answer may name an older host, which
	// then belongs to somebody, as does one that is marked as settled; without it
	// neither means anything.
	ParameterNotBefore = "not-before"
	// ParameterGracefulRelease is how long a stop of the host may take before it is
	// released, as a Go duration; absent or zero means that it is not stopped first.
	ParameterGracefulRelease = "graceful-release"
	// ParameterRetainDisks set to "true" has the data disks of the host outlive its
	// release. A release that cannot make sure of that does not begin.
	ParameterRetainDisks = "retain-disks"
	// ParameterReportDisks set to "true" has the message of a release that has succeeded
	// tell which data disks outlive the host anyway. It keeps no release from succeeding.
	ParameterReportDisks = "report-disks"
	// ParameterTagPrefix precedes the key of each tag of the user's.
	ParameterTagPrefix = "tag/"
)

// The names of OperationRequest.Parameters that every registration reads alike, where
// it offers what they are about. Others are its own.
const (
	// ParameterKeepUserData set to "true" has HostReplace leave the first-boot data as it
	// is.
	ParameterKeepUserData = "keep_user_data"
	// ParameterConsoleOutput set to "true" asks whoever reports that the operation failed
	// to add the end of what the host wrote to its console.
	ParameterConsoleOutput = "console_output_on_failure"
	// ParameterInstanceTypes has HostReplace make the host one of the first of these
	// types that it can become, divided by commas, in place of replacing its disk. It is
	// not the user's to give.
	ParameterInstanceTypes = "instance-types"
	// ParameterOfAllocation set to "true" says that the host's own allocation causes the
	// operation. Of these there is one at a time, and it takes the place of one whose run
	// was cut off. It is not the user's to give.
	ParameterOfAllocation = "of-allocation"
	// ParameterTakeBack set to "true" has HostReplace take back a replacement of the
	// allocation's that was cut off and that nobody wants any more: where the host still
	// has its disk it only runs again, and else gets another new one. It is not the
	// user's to give.
	ParameterTakeBack = "take-back"
	// ParameterHandsOver set to "true" says that another operation of the allocation's
	// follows, for which the host has to be stopped, too: one that has become of another
	// type is not started in between, and the one that follows takes its place. It is not
	// the user's to give.
	ParameterHandsOver = "hands-over"
	// ParameterOperationID names, to Cleanup, the carrying out whose traces are to go
	// (ProviderOperation.OperationID). Without it they go whichever it was.
	ParameterOperationID = "operation-id"
	// ParameterGivenUp set to "true" tells Cleanup that the operation has not ended, and
	// that nobody goes on with it: a host that ran, and was stopped for it, is to run
	// again.
	ParameterGivenUp = "given-up"
	// ParameterLeaveStopped set to "true" tells Cleanup of an operation that is given up
	// that a host which cannot be started is left powered off, with a mark that tells so.
	// Without it what cannot be started keeps its trace.
	ParameterLeaveStopped = "leave-stopped"
	// ParameterRepeatable set to "true" says that the operation, asked for again after its
	// end, is to have its effect again: no trace of its end is kept.
	ParameterRepeatable = "repeatable"
)

// The reasons a registration gives for a state, in PollResult.Reason and in
// PermanentError.Reason. Lifecycle decides by these words and by no text.
const (
	// ReasonNotListed means accepted, but not yet to be seen in a listing.
	ReasonNotListed = "NotListed"
	// ReasonBooting means seen, and on its way to the wanted state.
	ReasonBooting = "Booting"
	// ReasonReleasing means accepted, and on its way to absence.
	ReasonReleasing = "Releasing"
	// ReasonPowering means accepted, and on its way to the wanted power state.
	ReasonPowering = "Powering"

	// ReasonRebooting means accepted, and not yet seen to run again.
	ReasonRebooting = "Rebooting"
	// ReasonReplacing means accepted, and on its way to run from its new system disk.
	ReasonReplacing = "Replacing"
	// ReasonBusy means that another operation on the host is under way.
	ReasonBusy = "Busy"
	// ReasonNotStopped means that the host did not shut down within its bound, and that
	// to cut its power was not allowed.
	ReasonNotStopped = "NotStopped"
	// ReasonNotRunning means that the operation is for a host that runs, and this one is
	// powered off.
	ReasonNotRunning = "NotRunning"
	// ReasonNotStarted means that the host was stopped for an operation that is given up,
	// and could not be started again.
	ReasonNotStarted = "NotStarted"
	// ReasonOutcomeUnknown means that nobody can tell whether the effect took place, and
	// that it is not repeated.
	ReasonOutcomeUnknown = "OutcomeUnknown"

	// ReasonReplayed means that the provider answered with a host of an earlier
	// launch that is no longer there, or that belongs to somebody.
	ReasonReplayed = "Replayed"
	// ReasonWithdrawn means that an accepted launch disappeared again.
	ReasonWithdrawn = "Withdrawn"
	// ReasonTaken means that another run has claimed the host.
	ReasonTaken = "Taken"

	// ReasonInsufficientCapacity means that this offering has no stock; another may.
	ReasonInsufficientCapacity = "InsufficientCapacity"
	// ReasonNetworkFull means that the offering's network has no free address; an
	// offering in another network may have one.
	ReasonNetworkFull = "NetworkFull"
	// ReasonTermsNotOffered means that this offering is not to be had on the terms of
	// its class (disks, bid, reserved capacity), which says nothing of other classes.
	ReasonTermsNotOffered = "TermsNotOffered"
	// ReasonTokenSpent means that this OperationUID can launch nothing any more.
	ReasonTokenSpent = "TokenSpent"
	// ReasonQuotaExceeded means that an account limit is reached.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonPermissionDenied means that the credentials may not do this.
	ReasonPermissionDenied = "PermissionDenied"
	// ReasonNotFound means that the machine does not exist, which is proven.
	ReasonNotFound = "NotFound"
	// ReasonCredentialsRefused means that the credentials themselves were refused.
	ReasonCredentialsRefused = "CredentialsRefused"
	// ReasonCredentialsMissing means that no credentials were found to make a call with.
	ReasonCredentialsMissing = "CredentialsMissing"
	// ReasonCredentialsUnavailable means that the source of the credentials gave none.
	ReasonCredentialsUnavailable = "CredentialsUnavailable"
	// ReasonUnreachable means that calls do not get to the provider's API.
	ReasonUnreachable = "Unreachable"
	// ReasonInvalidConfiguration means that the request can never succeed as it is.
	ReasonInvalidConfiguration = "InvalidConfiguration"
	// ReasonUnsupported means that the registration does not offer the operation.
	ReasonUnsupported = "Unsupported"
	// ReasonRefused means that the provider refused for a cause of its own that
	// only a person can remove (a lock, protection, an unpaid subscription).
	ReasonRefused = "Refused"
)
