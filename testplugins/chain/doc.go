// Package chain tests the whole chain as an owner has it: the built program, the
// network connectors as WebAssembly in worker processes, a store on disk, and the
// providers, simulated, behind real sockets. It has no code besides its tests.
//
// The connectors are those of the tree with one change: their manifests ask for a
// quicker pace, because a simulated provider does not mind. Intervals of seconds and
// hours elsewhere are milliseconds here.
package chain
