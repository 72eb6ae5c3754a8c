// Package doctor is the operation that checks a whole installation: configuration,
// folders, disk, sandbox, modules, browser, store, connections, credentials and what serves. Each
// check leaves findings, each with what to do about it.
//
// A finding about a connection's health carries the verdict, and the face words it as
// it does wherever it shows one. Without repair an examination changes nothing, and unless it is deep it
// reads no more of a store with a million records than of an empty one.
package doctor
