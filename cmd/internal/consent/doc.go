// Package consent is how an owner accepts a module: what it asks for, in words, and
// the pin that holds the connection's runs to it from then on.
//
// It knows modules, the store and the terminal that an owner is asked on, and no
// flags: a command reads what was typed, shows Terms, and accepts them. What a manifest may ask for at all is
// abi/manifest's to say, and that a run keeps to what was accepted is host/run's.
package consent
