// Package device tests the local collector and its host as an owner has them: the two
// built programs, a connector as WebAssembly in a worker process, a store and an outbox
// on disk, real sockets, and real deaths. It has no code besides its tests; the number
// of deaths is the flag -deaths.
//
// A test has a host, whose home is one folder, and machines, each with a separate home
// for its data. The way between them forwards requests and, where a test asks for it,
// loses, refuses or delays one. In the end the host's records are compared with those
// that the same connector collects from the same folder on a separate host.
package device
