// Package outcome tells how a run ended: one line with the counts, what its
// checkpoints did, what is missing and why, and what to do next.
//
// It says what the run's result says and concludes nothing from it: whether a
// connection is healthy is another package's question.
package outcome
