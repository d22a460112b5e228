// Package crashtest kills the provider, the command that drives it, or both, at
// every API call that they make, and judges what is left once the user has simply
// gone on.
//
// In-process test frameworks cannot kill. So this harness builds the provider once
// and runs the real terraform or tofu in a process group of its own against an
// emulated cloud. The cloud holds one call before or after its effect; while it is
// held the harness kills what the [Point] says and lets the call go. Then it runs
// one plain apply, or one plain destroy ([Ending]), and compares the machines alive
// with the state ([Verdict]).
//
// A [Scenario] is what is interrupted: a create, a replacement, a release and so
// on. A dry run of it finds its calls; [Matrix] makes points of them, and [Runner]
// runs points, side by side and resumable. [Setting] holds what differs around a
// scenario: where the state is kept, how soon a machine is listed, how the cloud
// treats client tokens, and whether machines may be marked as settled.
//
// # What counts
//
// A machine alive that is not in state is a leak where no message named it, and is
// reported as named where one did. Two machines alive of one identity are twins. A
// theft is a machine that was released though a state holds it, or that never was
// this configuration's. A repeated effect is something done to one machine more often
// than it was asked for. Besides these, a point fails where going on fails, where
// something hangs, where a machine or an operation is not in the end what it is to be, and
// where a stopped process still launches or releases.
package crashtest
