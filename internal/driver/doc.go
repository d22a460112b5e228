// Package driver is the contract between this project and a machine driver: one
// Driver per cloud, with its requests, responses and status codes, as Kubernetes
// machine controllers know it; and beside it the optional interfaces that a
// Terraform provider needs as well: to observe a machine, to tag it, and to
// prove that it is gone. It knows no cloud and no machine operation.
package driver
