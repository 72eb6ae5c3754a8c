// Command sim measures the send governor against providers that it knows
// nothing about, on a virtual clock and with a fixed seed: the same numbers on
// every machine, in seconds. Each provider is compared with an oracle that
// knows its limit, and with a client that has only exponential back-off and is spared every ban.
//
// In: the shapes in shapes.go. Out: a table on standard output, and exit status
// 1 when a figure is missed. It sends nothing anywhere.
package main
