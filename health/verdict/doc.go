// Package verdict turns a connection's snapshot into the one rendered verdict
// that every surface shows: a pill, a channel, annotations, one forward
// sentence, the required actions, a row for each stream, progress, and a detail
// layer that holds everything the rest leaves out.
//
// What lives here: Synthesize and the rules behind each part, the table of every
// sentence that a verdict can say, the gate that holds a verdict to its
// invariants, and the functions that act on a verdict without deciding anew:
// ShouldPush, GrantScoped and Satisfied. What does not: evidence and conditions,
// which are package health's; rendering, which is a surface's; and starting
// runs, which is the scheduler's.
//
// A health.Snapshot and what is known of streams and progress come in, a
// RenderedVerdict goes out. Every function is pure and may be called from any
// number of goroutines; a verdict shares the snapshot's conditions and must not
// be changed while it is used. Verdicts are not stored: they are computed when
// read.
package verdict
