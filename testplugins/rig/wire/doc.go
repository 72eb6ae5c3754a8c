// Package wire has what tests of servers listen on: connections within the process, and
// certificates for this machine. It also opens what a push service is sent.
package wire
