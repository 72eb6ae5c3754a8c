// Package interact shows a connector's questions to the owner at a terminal and
// returns the answers.
//
// It reads from one terminal and writes prompts to it. The typed text goes into the
// one answer and nowhere else: no log, no error and no prompt repeats it
// (Invariant 5). The text of a question comes from a guest, so control characters are
// removed before it is shown. FieldsOf says what a question asks for, on every surface.
package interact
