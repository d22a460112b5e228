// Package provider is the Terraform side: schemas, plans, and the translation of
// configuration and state into lifecycle calls and of their outcomes into state
// and diagnostics. What a machine needs to be allocated, watched or released is
// decided below, in package lifecycle and the driver; of ECS only the files named
// alicloud_*.go know anything.
package provider
