// Package v1alpha1 holds the Machine and MachineClass objects that driver
// requests carry.
package v1alpha1
