// Package run carries one run of a connector from START to its commit: it
// matches bindings, resolves the scope, takes the connection's lease, hands
// what the guest emits through the boundary to storage, decides which
// checkpoints may move, and writes the run's one outcome.
//
// It knows no WebAssembly (host/plugin), no schema (host/boundary), no SQL
// (storage) and no terminal: what it needs from outside comes in through the
// ports in ports.go. Bytes come in from a guest; accepted records, checkpoints,
// gaps, coverage and events go out to storage; a Result goes to the caller.
package run
