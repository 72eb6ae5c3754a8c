// Package abi is the contract between host and guest, and nothing more: the host-call
// table, the message types, the connector manifest's types, the reason vocabulary and
// the stable error codes.
//
// It does no I/O, imports only the standard library, uses neither reflection nor
// goroutines, and compiles under TinyGo, because guests link it too. Decoding and
// validating a manifest needs encoding/json and is therefore in abi/manifest. Every
// other package of the project imports this one; it imports none of them.
package abi
