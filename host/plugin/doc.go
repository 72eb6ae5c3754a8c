// Package plugin turns a .wasm file into a running guest: it opens and hashes
// the file, checks what the module imports and exports, compiles it, runs it
// behind two walls, and ends it when it must end.
//
// The first wall is WebAssembly with nothing linked but the call table of
// package abi and a short list of WASI functions (internal/guest). The second
// is a worker process that holds nothing but a pipe to this one; it is killed,
// whole, when the guest overruns its time, memory, log or output. Inline mode
// runs the guest in this process instead: for tests, and for embedding guests
// that are trusted to end. It cannot end a guest that recurses without a loop.
//
// Only this package and its internal ones import wazero and Extism. It does not
// look into what a guest emits: bytes come in from a guest and go to the Host
// that the caller brings (host/run), which hands them to the boundary.
package plugin
