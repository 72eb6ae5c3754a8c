package boundary

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// enclosing is how much deeper than a message the text may nest that carries
// messages: a run's end holds its outcome, in that its gaps, in each of them its
// diagnostics, and in those a cursor.
const enclosing = 4

// CheckText holds a text that carries messages, as a collector on a device sends
// them, to the rules of their syntax: one JSON value, valid UTF-8, no name twice
// in an object, bounded nesting and number of values. What the text means is the
// caller's to read. The error is an *abi.Error boundary.*; what names the text in
// it, and no byte of the text does.
func CheckText(what string, text []byte) error {
	t := tape.Tape{Depth: abi.MaxNesting + enclosing}
	if err := t.Scan(text); err != nil {
		return refused(what, err)
	}
	return nil
}
