// Package assembly puts WebAssembly modules together by hand, for guests that no
// compiler would build: those that make forbidden imports, recurse without a loop, or
// lie in describe.
//
// It knows the binary format's sections and the few instructions that its guests need.
// Connector is a well-behaved start to spoil.
package assembly
