// Package connections has the commands of connections, their schedules and their
// credentials: each parses what was typed, calls an operation of host/owner, and shows
// the result.
package connections
