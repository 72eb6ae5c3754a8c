// Package handed has the surface of a hand-off for tests that need no browser behind it: it shows
// what a test puts there, and keeps what an owner did.
package handed
