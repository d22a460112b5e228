// Package safeguard names what keeps machines from leaking, doubling and being stolen, and
// what is done to them from being done twice, and lets a test build leave one of it out, so that the crash test can prove that it
// sees what is prevented. In every other build nothing can be left out.
package safeguard

// Safeguard is one of them.
type Safeguard string

// The safeguards.
const (
	// LastLook is the look after the window, before a machine is handed over.
	LastLook Safeguard = "last-look"
	// Window is the time for which what an earlier process asked for may stay unseen.
	Window Safeguard = "window"
	// ClassUID keeps configurations apart that share an owner.
	ClassUID Safeguard = "class-uid"
	// Leftovers shows and releases what an interrupted replacement left.
	Leftovers Safeguard = "leftovers"
	// Replacing marks the machine whose successor is being launched.
	Replacing Safeguard = "replacing"
	// SeenFirst keeps a machine out of state until it was seen.
	SeenFirst Safeguard = "seen-first"
	// Fence compares the claim of a machine with that in state before it is released.
	Fence Safeguard = "fence"
	// Intent is what an operation writes on its machine before it does anything, by which
	// a later run knows that the effect may be there.
	Intent Safeguard = "intent"
)

// All are all safeguards.
func All() []Safeguard {
	return []Safeguard{LastLook, Window, ClassUID, Leftovers, Replacing, SeenFirst, Fence, Intent}
}
