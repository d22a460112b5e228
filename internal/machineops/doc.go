// Package machineops is the contract between those who want something done to a
// machine and those who know how a cloud does it.
//
// A cloud describes itself by one immutable registration, a Provider: which
// operations it supports, whether each is executed in one callback or begun and
// then polled, and how it resolves machine classes into capacity. Whoever drives
// the operations (package lifecycle) persists their handles and applies their
// results; this package knows neither how, nor for whom, nor of any cloud.
//
// A long-running operation is begun under a stable OperationUID. Begin is
// idempotent under it, so a driver that lost the handle begins again and gets a
// handle to the same effect. From then on only the handle is polled.
//
// A callback is given a copy of its request, and of the allocation only what its
// kind and step may see: the provider configuration and the user data reach the
// beginning of HostAllocate and nothing else. Requests are printed and encoded
// without their secrets. Package machineopstest checks what only a registration
// itself can keep to.
package machineops
