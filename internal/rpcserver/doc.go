// Package rpcserver stands between Terraform's plugin protocol (version 6) and
// the provider's own protocol server, and knows nothing of what the provider
// manages. It gives every RPC what the framework does not:
//
//   - a panic becomes an error diagnostic, and the other operations of the
//     process go on;
//   - the context of an RPC is let go when the RPC ends, so memory does not grow
//     with the number of RPCs;
//   - log lines that no one reads are not made;
//   - the process ignores SIGTERM, because Terraform forwards a stop itself, and
//     ends when the Terraform that started it is gone.
package rpcserver
