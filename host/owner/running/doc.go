// Package running is the operation that runs a connection by hand: it finds the module
// that was named, asks for its owner's word where nobody has given it, runs it, keeps
// why it was refused, and reads how the connection is afterwards. Deps wires what every
// run works with, also those of a scheduler.
//
// A run shows itself through the ports of a Request: Consent asks for the owner's word, and
// Watch is told that the run is about to begin. host/run has the rules of a run itself.
package running
