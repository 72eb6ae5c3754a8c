// Package metrics has the command that lists the figures that a server tells at /metrics. It
// asks for no operation: all of it is in the program.
package metrics
