package jsonstream

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// salvage finds the elements of an array behind one that does not close. In JSON a brace, a quote,
// a name, a quote and a colon stand in no text, because a quote within one has a backslash in front
// of it. So where the first member of earlier elements comes again, another element begins.
type salvage struct {
	leads  []lead // by the depth of the array
	root   container
	sought bool // the walk goes on at an element that was found so
	large  bool // the value at hand is above ValueBytes
	broke  bool // and it does not close, so that it has others in it
	work   int64
}

// lead is how the elements of an array begin.
type lead struct {
	names [][]byte // of their first members, in quotes
	shape []string // the members that all of them have
	seen  int
}

// Bounds.
const (
	maxNames    = 8
	nameBytes   = 200
	windowBytes = nameBytes + 100 // with what stands around one
	maxSeen     = 64              // elements that are learned from
	maxWork     = 256 << 20       // bytes that are read a second time
)

// learn takes the element at hand for the next ones.
func (r *Reader) learn(v jsonvalue.Value) {
	level := len(r.open) - 1
	if level < 0 || r.open[level].object || v.Kind() != jsonvalue.Object {
		return
	}
	l := r.lead(level)
	if l.seen >= maxSeen {
		return
	}
	if l.seen++; l.seen == 1 {
		for it := v.Children(); it.Next(); {
			l.shape = append(l.shape, it.Name().Str())
		}
	} else {
		l.shape = slices.DeleteFunc(l.shape, func(name string) bool { return !v.Get(name).Exists() })
	}
	r.learnFirst(level)
}

// learnName takes the name in r.value, which is that text, for the first one of an element of the array at
// that depth.
func (r *Reader) learnName(name string, level int) {
	if level == 0 && r.ended != nil {
		r.element.name = strings.Clone(name)
	}
	if level < 0 || r.open[level].object || len(r.value) > nameBytes {
		return
	}
	r.lead(level).learn(r.value)
}

// learn takes a name for one that an element may begin with.
func (l *lead) learn(name []byte) {
	if len(l.names) < maxNames && !slices.ContainsFunc(l.names, func(n []byte) bool { return bytes.Equal(n, name) }) {
		l.names = append(l.names, bytes.Clone(name))
	}
}

// learnFirst takes the first name in the element that r.value holds.
func (r *Reader) learnFirst(level int) {
	if len(r.value) == 0 || r.value[0] != '{' {
		return
	}
	b := bytes.TrimLeft(r.value[1:], " \t\r\n")
	if len(b) == 0 || b[0] != '"' {
		return
	}
	end := bytes.IndexByte(b[1:], '"')
	if end < 0 || end > nameBytes || !begins(b, b[:end+2]) {
		return
	}
	r.lead(level).learn(b[:end+2])
}

func (r *Reader) lead(level int) *lead {
	for len(r.leads) <= level {
		r.leads = append(r.leads, lead{})
	}
	return &r.leads[level]
}

// fits reports whether an element that was found has what all of its array have.
func (r *Reader) fits(v jsonvalue.Value) bool {
	for _, name := range r.lead(len(r.open) - 1).shape {
		if !v.Get(name).Exists() {
			return false
		}
	}
	return true
}

// afterBrace is what stands in an object, from its first member on.
func afterBrace(b []byte) []byte { return bytes.TrimLeft(b[1:], " \t\r\n") }

// beginsAt returns the depth of the array of which an element begins with b, -1 for none.
func (r *Reader) beginsAt(b []byte) int {
	b = afterBrace(b)
	if len(b) == 0 || b[0] != '"' {
		return -1
	}
	for level := min(len(r.open), len(r.leads)) - 1; level >= 0; level-- {
		if !r.open[level].object && slices.ContainsFunc(r.leads[level].names, func(name []byte) bool { return begins(b, name) }) {
			return level
		}
	}
	return -1
}

// begins reports whether b is a name and a colon behind it.
func begins(b, name []byte) bool {
	if !bytes.HasPrefix(b, name) {
		return false
	}
	b = bytes.TrimLeft(b[len(name):], " \t\r\n")
	return len(b) > 0 && b[0] == ':'
}

// find returns where in b an element of an array that is open begins; no member is one.
func (r *Reader) find(b []byte) (at, level int) {
	for at := 1; at < len(b); at++ {
		n := bytes.IndexByte(b[at:], '{')
		if n < 0 {
			break
		}
		at += n
		if bytes.HasSuffix(bytes.TrimRight(b[:at], " \t\r\n"), []byte(":")) {
			continue
		}
		if level := r.beginsAt(b[at:]); level >= 0 {
			return at, level
		}
	}
	return 0, -1
}

// swallows reports whether the value at hand, which is too large, has other elements in it because
// it does not close. A value that is JSON so far may hold what looks like its neighbours.
func (r *Reader) swallows() bool {
	r.learnBroken()
	_, level := r.find(r.value)
	return level >= 0 && r.work < maxWork && r.broken()
}

// longestToken is more than a word or an escape that the end of a text cuts.
const longestToken = 8

// broken reports whether the value at hand is not JSON, and not for want of an end.
func (r *Reader) broken() bool {
	_, err := r.doc.Parse(r.value)
	at, ok := err.(*jsonvalue.SyntaxError) //nolint:errorlint // as Parse makes it; errors.As needs reflection
	return ok && at.Offset < len(r.value)-longestToken
}

// learnBroken takes the beginning of the value at hand for that of its array's elements, if no
// other one was met.
func (r *Reader) learnBroken() {
	level := len(r.open) - 1
	if level >= 0 && !r.open[level].object && len(r.lead(level).names) == 0 {
		r.learnFirst(level)
	}
}

// astray reports whether the value at hand has no end where it should.
func (r *Reader) astray() bool {
	return r.broke || r.err != nil && r.inErr != nil
}

// turn goes back to the first element in the value at hand, which began at a place and does not
// close, or is not JSON, and reports whether there is one.
func (r *Reader) turn(begun int64) bool {
	r.sought = false
	r.learnBroken()
	if len(r.value) == 0 || r.work >= maxWork {
		return false
	}
	r.window()
	whole := len(r.value)
	r.value = append(r.value, r.held[:min(windowBytes, len(r.held))]...) // a name may stand on both sides of its end
	at, level := r.find(r.value)
	r.value = r.value[:whole]
	if level < 0 || at >= whole {
		return false
	}
	r.err = nil
	r.unread(r.value[at:])
	r.spoilBy(syntax("a value does not close", strconv.FormatInt(begun, 10)))
	r.goOn(level)
	return true
}

// among reports whether the value at hand stands among objects.
func (r *Reader) among() bool {
	level := len(r.open) - 1
	return level >= 0 && !r.open[level].object && level < len(r.leads) && len(r.leads[level].names) > 0
}

// ends reports whether the value at hand is followed by what an element is.
func (r *Reader) ends() bool {
	c, ok := r.space()
	return ok && (c == ',' || c == ']')
}

// unread gives bytes back.
func (r *Reader) unread(b []byte) {
	r.at -= int64(len(b))
	r.work += int64(len(b))
	b = bytes.Clone(b)
	if len(r.next) == 0 {
		r.held, r.next = b, r.held
		return
	}
	r.work += int64(len(r.held))
	r.held = append(b, r.held...)
}

// goOn leaves everything within the array at that depth. An element of it is at hand.
func (r *Reader) goOn(level int) {
	r.open = r.open[:level+1]
	r.open[level].filled = true
	r.sought = true
}

// mend goes on behind a fault within an element that the walk is inside, at the next element, and
// reports whether there is one.
func (r *Reader) mend() bool {
	if len(r.leads) == 0 {
		return r.behead()
	}
	if r.err == nil || r.inErr != nil && len(r.held)+len(r.next) == 0 {
		return false
	}
	err, open := r.err, r.open
	if len(open) == 0 { // the outermost value ended too early
		r.open = append(r.open, r.root)
	}
	if !r.seek(len(open) == 0) {
		r.open = open
		return false
	}
	if r.err = nil; r.fault == nil {
		r.fault = asFault(err)
	}
	return true
}

// seek goes to the next element of an array that is open, and reports whether there is one. Where the outermost
// value has ended, it may have been a part of another one, whose beginning is missing.
func (r *Reader) seek(ended bool) bool {
	var start *Start
	level := -1
	ok := r.seekTo(func(b []byte) bool {
		if level = r.beginsAt(b); level < 0 && ended {
			start = r.startOf(b)
		}
		return level >= 0 || start != nil
	})
	switch {
	case !ok:
	case start != nil:
		r.leads, r.faults = nil, r.faults-1 // it is the same fault
		r.headless(start)
	default:
		r.goOn(level)
	}
	return ok
}

// seekTo goes to the next object that is no member and begins as it should, and reports whether there is one.
func (r *Reader) seekTo(begins func([]byte) bool) bool {
	for before := byte(0); r.fill(); r.pass() {
		c := r.held[0]
		if c == '{' && before != ':' {
			r.window()
			if begins(r.held) {
				return true
			}
		}
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			before = c
		}
	}
	return false
}

// window has held hold what a name needs, if there is as much.
func (r *Reader) window() {
	for len(r.held) < windowBytes && (len(r.next) > 0 || r.inErr == nil) {
		if len(r.next) > 0 {
			r.held, r.next = append(bytes.Clone(r.held), r.next...), nil
			continue
		}
		held := bytes.Clone(r.held)
		r.held = nil
		r.fill()
		r.held = append(held, r.held...)
	}
}
