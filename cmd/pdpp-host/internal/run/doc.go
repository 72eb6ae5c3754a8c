// Package run has the command that runs a connector once. It reads the flags, shows the
// run while it goes on and tells how it ended; host/owner/running runs it.
package run
