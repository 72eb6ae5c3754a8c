// Package exitcode is the one place that turns an error code into the exit
// status of a command. It knows codes and nothing else: no command decides its
// own status.
package exitcode
