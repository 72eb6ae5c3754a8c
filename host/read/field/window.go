package field

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Window is a part of one text of a record that comes in pieces, cut anywhere (Write). No more
// of the record is held than the part, whatever its length. Of a name that stands twice the last
// one counts, as with Get. Places are in characters: code points.
type Window struct {
	Name         string
	Start, Limit int
	Query        []byte // begin at its first place instead; empty: at Start
	Before       int    // or so much before it

	Found, IsText bool   // the record has the member; it is a text
	Text          []byte // the part
	Total         int    // of the whole text, where it has the query
	Match         int    // where the query is; -1: nowhere

	depth  int      // of the brackets that are open
	key    bool     // the next string of the record itself is a name
	wanted bool     // the next value is that of Name
	in     inString // what comes is in one
	left   string   // of Name, behind what of the name at hand was met
	same   bool     // that is what Name begins with
	escape []byte   // of which the end is to come
	high   rune     // a surrogate that was escaped, and waits for its other half; 0: none

	held   []byte // the end of the text, decoded
	behind int    // of held: what was looked through
}

type inString int8

const (
	inNone inString = iota
	inName
	inText
	inOther
)

// atOnce is how many bytes of a text are looked through together.
const atOnce = 16 << 10

// Write takes the next piece of the record.
func (w *Window) Write(piece []byte) {
	for len(piece) > 0 {
		c, n := piece[0], 1
		switch {
		case w.in == inNone:
			w.outside(c)
		case len(w.escape) > 0:
			w.unescape(c)
		case c == '\\':
			w.escape = append(w.escape, c)
		case c == '"':
			w.closeString()
		default:
			n = plain(piece)
			w.take(piece[:n])
		}
		piece = piece[n:]
	}
}

// plain is how much of a piece is before the end of its string and before an escape, as far as it looks.
func plain(piece []byte) int {
	piece = piece[:min(len(piece), 64)] //nolint:mnd // there may be an escape every few bytes, and the end far away
	if end := bytes.IndexByte(piece, '"'); end >= 0 {
		piece = piece[:end]
	}
	if end := bytes.IndexByte(piece, '\\'); end >= 0 {
		return end
	}
	return len(piece)
}

// outside takes a byte that is in no string.
func (w *Window) outside(c byte) {
	switch c {
	case ' ', '\n', '\r', '\t', ':':
	case ',':
		w.key = w.depth == 1
	case '}', ']':
		w.depth--
	case '"':
		w.in = inOther
		if w.depth == 1 && w.key {
			w.in, w.left, w.same = inName, w.Name, true
		} else if w.opens(true) {
			w.in = inText
		}
	default:
		w.opens(false)
		if c == '{' || c == '[' {
			w.depth++
			w.key = w.depth == 1 // in an array as well: no value follows a name there
		}
	}
}

// opens begins a value, and reports whether it is the one.
func (w *Window) opens(isText bool) bool {
	if !w.wanted || w.key || w.depth != 1 {
		return false
	}
	w.wanted, w.Found, w.IsText = false, true, isText
	w.Text, w.Total, w.Match, w.held, w.behind = w.Text[:0], 0, -1, w.held[:0], 0
	return true
}

func (w *Window) closeString() {
	w.take(nil)
	switch w.in {
	case inName:
		w.wanted, w.key = w.same && w.left == "", false
	case inText:
		w.look()
	}
	w.in = inNone
}

// unescape takes a byte of an escape.
func (w *Window) unescape(c byte) {
	w.escape = append(w.escape, c)
	switch {
	case w.escape[1] != 'u':
		if at := strings.IndexByte("bfnrt", c); at >= 0 {
			c = "\b\f\n\r\t"[at]
		}
		w.escape[0] = c
		w.take(w.escape[:1])
	case len(w.escape) < len(`\u0000`):
		return
	default:
		r := rune(0)
		for _, digit := range w.escape[2:] {
			r = r<<4 | rune(digit&0xf+9*(digit>>6)) //nolint:mnd // a letter's low bits begin at 1
		}
		w.character(r)
	}
	w.escape = w.escape[:0]
}

// character takes one that was escaped, or a half of it.
func (w *Window) character(r rune) {
	if pair := utf16.DecodeRune(w.high, r); pair != utf8.RuneError {
		r, w.high = pair, 0
	}
	if utf16.IsSurrogate(r) && r < 0xdc00 {
		w.take(nil)
		w.high = r
		return
	}
	w.take(utf8.AppendRune(w.escape[:0], r))
}

// take takes decoded bytes of a string, behind what waits for its other half.
func (w *Window) take(b []byte) {
	if w.high != 0 {
		w.high = 0
		w.take([]byte(string(utf8.RuneError)))
	}
	switch w.in {
	case inName:
		w.same = w.same && len(b) <= len(w.left) && w.left[:len(b)] == string(b)
		if w.same {
			w.left = w.left[len(b):]
		}
	case inText:
		for most := w.context() + atOnce; len(b) > 0; {
			n := min(len(b), most-len(w.held))
			w.held, b = append(w.held, b[:n]...), b[n:]
			if len(w.held) == most {
				w.look()
			}
		}
	}
}

// context is how much of a text has to be held while its query is looked for: what is shown before
// a place, and what a place may begin with.
func (w *Window) context() int { return utf8.UTFMax*w.Before + len(w.Query) }

// look looks for the query in what is held of the text, and goes on behind it.
func (w *Window) look() {
	if len(w.Query) > 0 && w.Match < 0 {
		at := bytes.Index(w.held[w.behind:], w.Query)
		if at < 0 {
			drop := max(len(w.held)-w.context(), 0)
			for drop > 0 && !utf8.RuneStart(w.held[drop]) {
				drop--
			}
			w.Total += count(w.held[:drop])
			w.held = append(w.held[:0], w.held[drop:]...)
			w.behind = max(len(w.held)-len(w.Query)+1, 0)
			return
		}
		w.Match = w.Total + count(w.held[:w.behind+at])
		w.Start = max(w.Match-w.Before, 0)
	}
	rest := w.pass(w.held, w.Start)
	more := w.pass(rest, w.Start+w.Limit)
	w.Text = append(w.Text, rest[:len(rest)-len(more)]...)
	w.Total += count(more)
	w.held = w.held[:0]
}

// pass passes the characters of the text up to one, and returns what is behind them.
func (w *Window) pass(b []byte, until int) []byte {
	for i, c := range b {
		if w.Total > until {
			return b[i:]
		}
		if utf8.RuneStart(c) {
			if w.Total == until {
				return b[i:]
			}
			w.Total++
		}
	}
	return b[len(b):]
}

// count is how many characters begin in b.
func count(b []byte) (n int) {
	for _, c := range b {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}
