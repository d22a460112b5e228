// Package v1alpha3 holds the data types that machine operations exchange:
// operation kinds and phases, capacity offerings, owned resources, and the
// words (parameter names and reasons) that both sides of a registration use.
// It holds no behavior beyond copying itself.
package v1alpha3
