package jsonraw

import "bytes"

// Salvage finds the objects in a line of JSON Lines that is not one object: behind or between
// blocks of NUL, which a crash leaves, glued to one another, or behind one that was cut off.
// docs/formats.md has the rules and their sources.
type Salvage struct {
	line   []byte
	own    func(object []byte, clean bool) bool
	i      int
	work   int
	clean  bool // nothing is broken since the beginning, or since the last object
	object []byte
	at     int
	lost   int
}

// workEach bounds the bytes that are looked at for each byte of the line: an object that does
// not close is looked for again behind each of its braces.
const workEach = 64

// NewSalvage looks at a line, which it does not change. own decides of an object that closes
// whether it is a record of its own rather than a part of a broken one; clean says that nothing
// in front of it is broken.
func NewSalvage(line []byte, own func(object []byte, clean bool) bool) *Salvage {
	s := &Salvage{line: line, own: own, clean: true, lost: -1}
	copied := false
	for i, c := range line {
		if c >= ' ' {
			continue
		}
		if !copied {
			s.line, copied = bytes.Clone(line), true
		}
		s.line[i] = ' '
		if c != '\t' && c != '\r' {
			s.lose(i)
		}
	}
	return s
}

// OnlyObjects reports whether a line is nothing but objects of its own, at least one.
func OnlyObjects(line []byte, own func(object []byte, clean bool) bool) bool {
	s, objects := NewSalvage(line, own), 0
	for s.Next() {
		objects++
	}
	return objects > 0 && s.Lost() < 0
}

// Next goes to the next object, and reports whether there is one.
func (s *Salvage) Next() bool {
	for s.i < len(s.line) {
		switch s.line[s.i] {
		case ' ':
			s.i++
			continue
		case '{':
		default:
			s.search()
			continue
		}
		if s.work > workEach*len(s.line) {
			s.lose(s.i)
			return false
		}
		r := Reader{Src: s.line, i: s.i}
		object := r.Value()
		s.work += r.i - s.i + 1
		if object != nil && s.own(object, s.clean) {
			s.object, s.at, s.i, s.clean = object, s.i, r.i, true
			return true
		}
		if object == nil {
			s.search()
		} else {
			s.lose(s.i)
			s.i, s.clean = r.i, false
		}
	}
	return false
}

// search goes to the next brace behind a broken place.
func (s *Salvage) search() {
	s.lose(s.i)
	s.i++
	s.clean = false
	n := bytes.IndexByte(s.line[s.i:], '{')
	if n < 0 {
		n = len(s.line) - s.i
	}
	s.i += n
}

func (s *Salvage) lose(at int) {
	if s.lost < 0 || at < s.lost {
		s.lost = at
	}
}

// Object returns the current object. Control characters in it are blanks.
func (s *Salvage) Object() []byte { return s.object }

// At returns where in the line the current object begins.
func (s *Salvage) At() int { return s.at }

// Lost returns where in the line the first broken place is, -1 when the objects are all there
// is.
func (s *Salvage) Lost() int { return s.lost }
