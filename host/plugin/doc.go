// Package plugin turns a .wasm file into a running guest: it opens and hashes the
// file, checks the module's imports and exports, compiles it, runs it behind two
// walls, and ends it in time.
//
// The first wall is WebAssembly with only the call table of package abi and a short
// list of WASI functions linked (internal/guest). The second is a worker process with
// nothing but a pipe to this one (internal/spawn starts it); the whole process is
// killed if the guest exceeds its time, memory, log or output. Inline mode runs the
// guest in this process instead: for tests, and for embedding guests that are trusted
// to end. It cannot end a guest that recurses without a loop.
//
// Only this package and its internal ones import wazero and Extism. The package does
// not interpret a guest's messages: the bytes go to the caller's Host (host/run),
// which passes them to the boundary.
package plugin
