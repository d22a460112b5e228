// Package exampletest holds the tests that apply everything under examples with
// the real CLI against the emulator, and that no resource type goes without an
// example and a page in docs. It has no code of its own.
package exampletest
