// Command pdpp-host runs connectors and shows what they collected.
//
// This package puts the commands together. Each noun has a folder in internal, whose
// files parse what was typed, call an operation of host/owner and show its result;
// internal/session wires what operations work with. How the program speaks is in
// cmd/internal/output. Flags, variables and the configuration file come in through
// host/config; results go to standard output, everything else to standard error, and one
// classifier (cmd/internal/exitcode) turns an error's code into the exit status. The same
// binary is the worker of host/plugin, started as the hidden subcommand plugin-worker.
package main
