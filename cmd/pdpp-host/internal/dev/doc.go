// Package dev is the loop of a connector's author: it builds the module, runs it from nothing
// over its sample or its simulated service, runs it again, and says how the records differ from
// those of the build before.
//
// In: the folder of a connector's source. Out: rounds, and the changes of the source between
// them. A round writes into the folder .pdpp-dev there, and never into an owner's own data
// folder, configuration or store.
package dev
