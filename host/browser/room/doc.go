// Package room says how many browsers a machine has memory for. In: the machine's memory, or
// that of the group of processes that the host is in. Out: a number.
package room
