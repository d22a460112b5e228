// Package alicloud is the Alibaba Cloud ECS machine driver. It implements
// driver.Driver and its optional interfaces, and registers the same abilities
// with machineops under the name Alicloud. What a machine of ours looks like on
// this cloud (tags, tokens, identifications) is decided here; how a call is made
// is decided in package ecs.
package alicloud
