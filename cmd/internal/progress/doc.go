// Package progress shows a run while it goes on: on a terminal one line a
// stream, updated in place, with a bar, a rate and the seconds left; elsewhere
// one plain line every few seconds.
//
// It only shows. Updates come in from the run, lines go out to standard error;
// the outcome is told by someone else.
package progress
