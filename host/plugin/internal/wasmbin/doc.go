// Package wasmbin reads the interface of a WebAssembly module: its imports, its
// exports, and its demand for memory.
//
// It runs in the host process on untrusted bytes, so it executes nothing, allocates
// only in proportion to the input, and skips the code and data sections unread. The
// compiler, in the worker, checks whether the rest of the module is valid. Bytes come
// from a plugin file; a Module goes to the admission check of host/plugin.
package wasmbin
