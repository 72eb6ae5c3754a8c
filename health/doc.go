// Package health turns what is known about one connection into typed
// conditions and one projection of them, the Snapshot.
//
// What lives here: the evidence that a projection needs, the functions that
// derive it from raw facts (heartbeats, known gaps, pending detail gaps,
// coverage records, ages), the table of conditions with every sentence they can
// say, the precedence of the headline, and the forward disposition. What does
// not: what an owner is shown, which package verdict makes of a Snapshot; where
// the facts come from, which is storage's; and when to run, which is the
// scheduler's.
//
// Evidence goes in, a Snapshot comes out. Every function is pure: it does no
// I/O, asks no clock and no chance, changes none of its arguments, and may be
// called from any number of goroutines. The one "now" there is comes with the
// evidence. Evidence that nobody gathered is null or zero and reads as unknown,
// never as good and never as none.
//
// Text from outside (a connector's reason, a provider's word) enters at one
// place, admit in secrets.go. All other text is fixed.
package health
