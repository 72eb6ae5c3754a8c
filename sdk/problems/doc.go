// Package problems counts what a run could not collect, and says it to the host once.
//
// A connector declares each kind of problem with its words as a variable, notes each case as
// it meets it, and reports the tally at the end of a stream: one SKIP_RESULT for each kind,
// with how many there were and a bounded list of examples. The reason is a key of the
// manifest's reason_display_messages, which has the words for the owner.
//
// Out: SKIP_RESULT. Not here: a stream that failed (sdk.FailedStreams), and values that do
// not fit the schema (sdk.Record.Copy reports those).
package problems
