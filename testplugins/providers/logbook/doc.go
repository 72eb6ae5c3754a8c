// Package logbook records the requests of a simulated provider, and lets a test act
// between a request and its answer.
//
// In: requests, from the provider that embeds a Book. Out: the list of them, for
// assertions. Not here: the answers.
package logbook
