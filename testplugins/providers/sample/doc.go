// Package sample fills the simulated providers with data: as much as asked, and
// the same for the same seed. It knows how each is spoken to: the secrets that
// it accepts, and the variables in which a host looks for them.
//
// In: a name, a seed, a size, a clock. Out: a provider behind a fault.Injector.
// Not here: anything that listens or sends.
package sample
