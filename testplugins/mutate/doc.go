// Command mutate makes one-line mutations of the rooms where the host decides what is durable,
// what is gone and what may be read, runs the tests of each room on every one of them, and says
// which none of those tests noticed. It is what `make mutate` runs.
//
// A mutation negates a condition, drops a statement or an early return, swaps an operator, moves
// a number by one, or drops an operand of && or || (mutations.go). Which ones are made goes by
// a seed, and each room has the same share of them (choose.go). The changed file is an overlay
// of the go command, so that the tree is never touched (try.go).
//
// A mutation that changes nothing that anybody could see is in equivalent.txt with the reason.
package main
