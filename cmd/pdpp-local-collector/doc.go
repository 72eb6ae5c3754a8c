// Command pdpp-local-collector runs a connector on the machine that holds the
// data, and delivers what it collects to the owner's host.
//
// This package wires host/collector and holds the commands, one file each; what a
// command decides lives there, and how it speaks in cmd/internal/output. A
// supervisor owns the cadence: each execution delivers what waits, collects, and
// ends. The device's token stands in the profile's file alone and is never an
// argument. The same binary is the worker of host/plugin, started as the hidden
// subcommand plugin-worker.
package main
