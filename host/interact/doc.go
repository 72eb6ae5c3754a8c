// Package interact puts a connector's questions to the owner at a terminal and
// brings the answers back.
//
// It reads from one terminal and writes prompts to it. What is typed goes into
// the one answer and nowhere else: no log, no error and no prompt repeats it
// (Invariant 5). The text of a question comes from a guest and is stripped of
// control characters before it is shown. Asking over other surfaces lives
// elsewhere.
package interact
