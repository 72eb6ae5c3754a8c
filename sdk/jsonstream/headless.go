package jsonstream

import (
	"io"
	"strconv"
)

// Start is how the elements of the outermost array on a path begin: with one of these members.
type Start struct {
	Path  int // counted from 0
	Names []string
}

// Begins says how elements begin. With it the elements of a text are found whose beginning is missing: else
// nothing tells what it is.
func (r *Reader) Begins(starts ...Start) { r.starts = starts }

// startOf returns the start of the element that begins with b, nil for none.
func (r *Reader) startOf(b []byte) *Start {
	for i := range r.starts {
		for _, name := range r.starts[i].Names {
			if begins(afterBrace(b), quoted(name)) {
				return &r.starts[i]
			}
		}
	}
	return nil
}

func quoted(name string) []byte { return append(append([]byte{'"'}, name...), '"') }

// behead goes to the first element of a text whose beginning is missing, and reports whether there is
// one.
func (r *Reader) behead() bool {
	if len(r.starts) == 0 || r.err == nil || r.inErr != nil && r.inErr != io.EOF { //nolint:errorlint // io.EOF is never wrapped
		return false
	}
	if r.first != '{' && r.first != '[' && len(r.open) == 0 && !r.large { // what seemed to be a text may stand between two
		r.unread(r.value)
	}
	var start *Start
	ok := r.seekTo(func(b []byte) bool {
		start = r.startOf(b)
		return start != nil
	})
	if ok {
		if e := asFault(r.err); e != nil && e.Code == CodeSyntax { // it is the same one
			r.faults--
		}
		r.headless(start)
	}
	return ok
}

// beginsHeadless reports whether the text begins with an element, and not with what is around it.
func (r *Reader) beginsHeadless() bool {
	r.window()
	start := r.startOf(r.held)
	if start != nil {
		r.headless(start)
	}
	return start != nil
}

// headless goes on at an element, which is at hand, within the containers that its path names.
func (r *Reader) headless(start *Start) {
	r.open = r.open[:0]
	paths := uint32(1)<<len(r.paths) - 1
	for _, name := range r.paths[start.Path] {
		r.open = append(r.open, container{object: name != "*", filled: true, paths: paths})
		if name == "*" {
			break
		}
		paths = r.leading(paths, name)
	}
	r.root, r.begun, r.err = r.open[0], true, nil
	for _, name := range start.Names {
		r.lead(len(r.open) - 1).learn(quoted(name))
	}
	r.goOn(len(r.open) - 1)
	if r.faults++; r.fault == nil {
		r.fault = syntax("the beginning is missing, up to an element", strconv.FormatInt(r.at, 10))
	}
}
