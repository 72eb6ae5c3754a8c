// Package verdict turns a connection's snapshot into the one rendered verdict that
// every surface shows: a pill, a channel, annotations, one forward sentence, the
// required actions, a row for each stream, progress, and a detail layer that holds
// everything the rest leaves out.
//
// It holds Synthesize and the rules behind each part, the table of all sentences of a
// verdict, the gate that checks a verdict against its invariants, and the functions
// that act on a verdict without new decisions: ShouldPush, GrantScoped, ForStreams and Satisfied.
// Evidence and conditions belong to package health, rendering to the surfaces, and
// starting runs to the scheduler.
//
// A health.Snapshot and the state of streams and progress come in, a RenderedVerdict
// goes out. Every function is pure and safe for concurrent use; a verdict shares the
// snapshot's conditions and must not be changed while it is used. Verdicts are not
// stored: they are computed when read.
package verdict
