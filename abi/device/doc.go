// Package device is the protocol between a collector on a person's own machine
// and the host that it delivers to: the paths, the one header, the bodies both
// ways, the identities that make a delivery repeatable, and the codes of a
// refusal (contracts: collector, section 6).
//
// What lives here is vocabulary: types, and pure functions over bytes. What does
// not: who sends (host/collector), who answers (host/api), and where either keeps
// it (storage). Standard library only, no I/O, no clock.
//
// The collector makes values of these types and the host reads them, or the
// other way round. A reader ignores fields that it does not know, so that either
// side may be the newer one.
package device
