// Package watch is the watchdog of signing in (RT-15): it ends an establishment that makes no
// progress, and stands still while the owner is asked.
//
// In: events with their times, which its caller takes from its own clock. Out: the next state,
// what is to be done, and when to look again. Pure: no clock, no goroutine, no I/O.
package watch
