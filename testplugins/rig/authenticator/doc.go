// Package authenticator is a device that makes and uses passkeys, as a browser asks it to, for
// tests: it takes the options of a host and answers as navigator.credentials does.
//
// A test can have it lie, in all that a browser or a device says. It writes its CBOR by hand,
// so that it shares no code with what reads it.
package authenticator
