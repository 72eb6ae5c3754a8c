package boundary

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// enclosing is the additional nesting depth of a text that contains messages: a run's
// end contains its outcome, the outcome gaps, a gap diagnostics, and the diagnostics a
// cursor.
const enclosing = 4

// CheckText checks the syntax of a text that contains messages, from a collector on a
// device: one JSON value, valid UTF-8, no name twice in an object, bounded nesting and
// number of values. The caller interprets the text. The error is an *abi.Error
// boundary.*; it names the text by what, and contains no byte of it.
func CheckText(what string, text []byte) error {
	t := tape.Tape{Depth: abi.MaxNesting + enclosing}
	if err := t.Scan(text); err != nil {
		return refused(what, err)
	}
	return nil
}
