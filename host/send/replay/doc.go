// Package replay runs a send governor on a virtual clock: JSON Lines in, what
// the governor did out. It is what `pdpp-host debug governor` is made of, and
// how a sequence from a provider or from the specification is tried out without
// a provider and without waiting. It sends nothing anywhere.
package replay
