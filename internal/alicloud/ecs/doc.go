// Package ecs is the only place that talks to the Alibaba Cloud SDK. It gives
// the calls that the machine driver needs as methods with a context, explicit
// timeouts, classified and scrubbed errors, retries under the caller's deadline,
// and reads that many callers share. It knows the API, and nothing of machine
// operations or of Terraform.
package ecs
