// Package clients has the commands of the apps that are known to this host: which there are,
// and to forget one with all that it may read. Each parses what was typed, calls an operation
// of host/owner/grants, and shows the result.
package clients
