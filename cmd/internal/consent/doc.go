// Package consent is how an owner accepts a module: what it asks for, in words, and
// the pin that holds the connection's runs to it from then on.
//
// It knows modules, the store and the terminal that an owner is asked on, but no
// flags: a command reads what was typed, shows Terms, and accepts them. abi/manifest
// says what a manifest may ask for at all, and host/run keeps a run to what was accepted.
package consent
