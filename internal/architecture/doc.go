// Package architecture holds the tests that keep the shape of this repository:
// which package may import which, that each package says what it is for, that
// files stay small, and that no file names the machine it was written on. It
// has no code of its own.
package architecture
