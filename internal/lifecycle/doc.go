// Package lifecycle drives one machine operation to its end: it begins the
// operation under a stable identity, records its handle, polls it to the
// deadline, applies the result and cleans up, in one process or in several. For
// an allocation it also owns the choice of the offering and the relaunch; for a
// release, what may be touched.
//
// A Runner records each step before it takes the next one, and goes on from any
// record that it is handed. A kill can therefore repeat the step whose record it
// cut off and no other: Begin, which is idempotent under its OperationUID; Apply
// and Cleanup, whose repetition has to be harmless; an immediate operation only
// where it is declared to be replay-safe. Once an end is recorded it stays.
//
// It works on any machineops registration and knows neither Terraform nor a
// cloud. What it needs beyond the registration it asks of a small interface that
// its user fills in.
package lifecycle
