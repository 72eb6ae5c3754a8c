// Package device is the protocol between a collector on a person's own machine and the
// host to which it delivers: the paths, the one header, the bodies in both directions,
// the identities that make a delivery repeatable, and the codes of a refusal
// (collector contract, section 6).
//
// The package holds vocabulary: types, and pure functions over bytes. Sending
// (host/collector), answering (host/api) and storing (storage) are elsewhere. It uses
// the standard library only, does no I/O and reads no clock.
//
// One side makes values of these types and the other reads them. A reader ignores
// unknown fields, so either side may be the newer one.
package device
