// Package spi lists what the document on the Alibaba Cloud machine driver takes
// from its package of plugin seams.
package spi

// PluginSPI is named without its methods.
type PluginSPI interface{}
