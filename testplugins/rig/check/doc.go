// Package check holds the assertions of the project's tests, whose messages say what
// was looked at, what it was, and what it should have been.
//
// It imports the standard library only, so that the tests of every room may use it.
package check
