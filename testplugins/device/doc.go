// Package device tests the local collector and its host as an owner has them: the
// two built programs, a connector as WebAssembly in a worker process, a store and
// an outbox on disk, real sockets, and real deaths. It has no code besides its
// tests; how many deaths is the flag -deaths.
//
// A test has a host, whose home is one folder, and machines, each with a home of
// its own that holds what is collected. Between them stands the way, which hands
// requests on and, where a test says so, loses, refuses or delays one. What the
// host has in the end is held against what the same connector finds in the same
// folder on a host of its own.
package device
