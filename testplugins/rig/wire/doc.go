// Package wire has what tests of servers listen on: connections within the process, and
// certificates for this machine.
package wire
