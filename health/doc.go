// Package health turns the evidence about one connection into typed conditions and one
// projection of them, the Snapshot.
//
// It holds the evidence of a projection, the functions that derive it from raw facts
// (heartbeats, known gaps, pending detail gaps, coverage records, ages), the table of
// conditions with all their sentences, the precedence of the headline, and the forward
// disposition. Package verdict turns a Snapshot into the owner's view. The facts come
// from storage, and the scheduler decides when to run.
//
// Evidence goes in, a Snapshot comes out. Every function is pure: it does no I/O,
// reads no clock, uses no randomness, changes none of its arguments, and is safe for
// concurrent use. The only "now" is part of the evidence. Evidence that was not
// gathered is null or zero and is read as unknown, never as good and never as empty.
//
// Text from outside (a connector's reason, a provider's word) enters at one place,
// reasonOf in secrets.go. All other text is fixed.
package health
