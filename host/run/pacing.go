package run

import (
	"bytes"
	"slices"

	"github.com/pdpp-host/pdpp-host/storage"
)

// pacedCursor is a cursor that was committed by a slice with the learned rate on
// it, as the guest gave it.
type pacedCursor struct {
	stream string
	cursor []byte
}

// paced remembers a committed cursor when the learned rate was put on it.
func (c *collection) paced(stream string, own, with []byte) {
	if !bytes.Equal(own, with) {
		c.lastPaced = &pacedCursor{stream, own}
	}
}

// relearn adds to the outcome the rate of the run's end. A slice took along the
// rate of its own moment: in a run that commits the stream with the rate first,
// that is hardly learned at all (RT-26.1). The cursor itself is the slice's.
func (c *collection) relearn(o *storage.Outcome, commit []string) {
	p := c.lastPaced
	if p == nil || slices.Contains(commit, p.stream) || c.storeError() != nil {
		return
	}
	o.Checkpoints = append(o.Checkpoints, storage.StateCommit{Stream: p.stream, Cursor: c.learned(p.stream, p.cursor)})
}
