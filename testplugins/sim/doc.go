// Package sim measures the send governor against providers that it knows nothing about,
// in the virtual time of a synctest bubble and with a fixed seed: in seconds, the same
// figures on every machine. It simulates the product's behaviour, ends and pauses
// included: runs with details in flight, the stops that end them, the cooldown until
// the next, and the state that one run hands to the next on a cursor. Each provider is
// compared with an oracle that knows its limit and is never late, and with a client
// that has only exponential back-off and is spared every ban.
//
// In: the shapes in shapes.go. Out: the table of `make sim`, and a failed test when a
// figure is missed. It sends nothing anywhere.
package sim
