// Command pdpp-host runs connectors and shows what they collected.
//
// This package wires the rooms of the host together and holds the commands, one
// file each; what a command decides lives in the rooms, and how it speaks in
// cmd/internal/output. Flags, variables and the configuration file come in through
// host/config; results go to standard output, everything else to standard
// error, and one classifier (cmd/internal/exitcode) turns an error's code into the
// exit status. The same binary is the worker of host/plugin, started as the
// hidden subcommand plugin-worker.
package main
