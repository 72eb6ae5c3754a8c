// Package wasmbin reads the outside of a WebAssembly module: what it imports,
// what it exports, and how much memory it asks for.
//
// It runs in the host process on bytes nobody has vouched for, so it executes
// nothing, allocates in proportion to the input only, and skips the code and
// data sections unread. Whether the rest of the module is valid is decided by
// the compiler, in the worker. Bytes come in from a plugin file; a Module goes
// out to the admission check of host/plugin.
package wasmbin
