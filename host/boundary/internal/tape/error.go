package tape

import "fmt"

// Fault is the reason for refusing a text.
type Fault uint8

// The faults. Each is one stable code of the boundary.
const (
	Syntax Fault = iota + 1
	InvalidUTF8
	Duplicate
	Nesting
	TooMany
)

// Error is a refused text: the reason, and the byte offset, from 0. It contains
// nothing of the text itself.
type Error struct {
	Fault  Fault
	Offset int
}

// Error describes the problem without quoting the text.
func (e *Error) Error() string {
	what := [...]string{"", "is not valid JSON", "is not valid UTF-8", "repeats a member name", "nests too deep", "holds too many values"}
	return fmt.Sprintf("%s at byte %d", what[e.Fault], e.Offset)
}
