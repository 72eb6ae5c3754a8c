// Package abi is the contract between host and guest, and nothing more: the
// host-call table, the message types, the connector manifest's types, the
// reason vocabulary and the stable error codes.
//
// It holds no I/O, imports only the standard library, uses neither reflection
// nor goroutines, and compiles under TinyGo, because guests link it too.
// Decoding and validating a manifest needs encoding/json and so lives in
// abi/manifest. Everything else in the project imports this package; it
// imports nothing of the project.
package abi
