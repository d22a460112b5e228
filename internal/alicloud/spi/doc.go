// Package spi is what the Alibaba Cloud machine plugin asks of its surroundings:
// a client for a secret and a region.
package spi
