// Package logbook keeps what a simulated provider was asked, and lets a test act
// between a request and its answer.
//
// In: requests, from the provider that embeds a Book. Out: the list of them, for
// assertions. Not here: what is answered.
package logbook
