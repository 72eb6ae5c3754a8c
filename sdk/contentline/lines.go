package contentline

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

// MaxBytes bounds one unfolded line. Longer ones (usually an attachment inlined as
// base64) are cut there and counted as oversized.
const MaxBytes = 256 << 10

// Reader reads the unfolded lines of a stream in memory that does not depend on the
// stream's length. A line ends with CRLF, LF, CR, or with more than one CR and a LF, as a file
// that was written twice in text mode has it. Unfolding joins bytes, so a code point that
// a fold splits is whole again. Lines are UTF-8: see package charset.
type Reader struct {
	Oversized int   // lines cut at MaxBytes
	Guessed   int   // lines that are not UTF-8, name no encoding, and were read as Windows-1252
	Zeros     int   // pieces of lines with bytes that are zero: a disk or a copy has lost what was there
	Number    int   // of the first line in the file that the last one was made of, from 1
	Err       error // why the stream ended early

	text     *charset.Reader
	r        io.Reader
	buf      []byte
	pos, end int
	lines    int // that ended so far
	line     []byte
	indent   int // blanks before the line
	lead     int // blanks that were taken from the front of the next one
	held     heldLine
	seen     seen
	looked   int64 // bytes of lines that deciding where they end has looked at
}

// heldLine was read too far and is the next one.
type heldLine struct {
	text           []byte
	number, indent int
}

// NewReader returns a Reader of r that uses buf, which has some length.
func NewReader(r io.Reader, buf []byte) *Reader {
	text := charset.NewUTF16(r)
	return &Reader{r: text, text: text, buf: buf}
}

// Broken returns how many halves of UTF-16 characters are no characters, and were read as "?".
func (l *Reader) Broken() int { return int(l.text.Taken()) }

// Next returns the next non-empty line, valid until the next call, or nil at the end or
// at a read error, which is then in Err.
func (l *Reader) Next() []byte {
	for {
		whole, ok := l.logical()
		if !ok {
			return nil
		}
		if !whole {
			l.Oversized++
			l.line = wholeRunes(l.line)
		}
		if len(l.line) > 0 {
			return l.decoded()
		}
	}
}

// logical reads one line with those that continue it. whole is false when it was cut.
func (l *Reader) logical() (whole, ok bool) {
	whole, l.seen = true, seen{}
	if len(l.held.text) > 0 {
		l.line, l.Number, l.indent = append(l.line[:0], l.held.text...), l.held.number, l.held.indent
		l.held.text = l.held.text[:0]
	} else {
		l.empty()
		if !l.fill() {
			return false, false
		}
		l.line, l.Number = l.line[:0], l.lines+1
		l.indent, l.lead = l.lead+l.blanks(), 0
		whole = l.physical()
	}
	for more := true; more; {
		l.empty()
		if !l.fill() {
			break
		}
		var fits bool
		switch c := l.buf[l.pos]; {
		case l.softBreak():
			more, fits = l.continueQuoted()
		case c == ' ' || c == '\t':
			more, fits = l.continueFolded()
		default:
			more, fits = false, true
		}
		whole = whole && fits
	}
	return whole, l.Err == nil
}

// continueFolded joins the line that begins with a blank (RFC 5545, section 3.1), and reports
// whether more may follow. In a file that is indented by its levels, a line that is indented no
// further is the next one, and so is a property behind a BEGIN or END, which nobody folds, or behind a
// short line that is complete. So is a BEGIN or END behind more than the one blank of a fold.
func (l *Reader) continueFolded() (more, fits bool) {
	deep, before := l.indent > 0 || l.buf[l.pos] == '\t', len(l.line)
	l.pos++
	blanks := 1
	if l.indent > 0 {
		if blanks += l.blanks(); blanks <= l.indent {
			l.lead = blanks
			return false, true
		}
		for range blanks - l.indent - 1 {
			l.line = append(l.line, ' ')
		}
	}
	from, number := len(l.line), l.lines+1
	fits = l.physical()
	added := l.line[from:]
	bare := bytes.TrimLeft(added, " \t")
	deep = deep || len(bare) < len(added)
	if l.structure(from) && looksLikeProperty(bare) || isComplete(l.line[:before]) && isProperty(bare) || deep && isStructure(bare) {
		l.hold(before, bare, number, blanks+len(added)-len(bare))
		return false, true
	}
	return true, fits
}

// continueQuoted joins the line behind a soft break of quoted-printable text (RFC 2045, section
// 6.7, rule 5), unless it is an END or BEGIN: then the text is damaged, and its component is not.
func (l *Reader) continueQuoted() (more, fits bool) {
	from, number := l.seen.solid-1, l.lines+1
	mark := append([]byte(nil), l.line[from:]...)
	l.line = l.line[:from]
	l.seen.length, l.seen.solid = from, 0
	fits = l.physical()
	if added := l.line[from:]; isStructure(added) {
		l.hold(from, added, number, 0)
		l.line = append(l.line, mark...)
		return false, true
	}
	return true, fits
}

// hold takes the line from there on off again: it is the next one.
func (l *Reader) hold(from int, text []byte, number, indent int) {
	l.held.text, l.held.number, l.held.indent = append(l.held.text[:0], text...), number, indent
	l.line = l.line[:from]
}

// physical appends one line without its end and reports whether all of it fit.
func (l *Reader) physical() bool {
	fits := true
	for l.fill() {
		part := l.buf[l.pos:l.end]
		n := l.ending(part)
		if n >= 0 {
			part = part[:n]
		}
		l.pos += len(part)
		if bytes.IndexByte(part, 0) >= 0 {
			l.Zeros++
		}
		if room := max(MaxBytes-len(l.line), 0); len(part) > room {
			part, fits = part[:room], false
		}
		l.line = append(l.line, part...)
		if n >= 0 {
			l.lineEnd()
			break
		}
	}
	return fits
}

// endWindow is how far one look for the end of a line goes: a file whose lines end with CR alone has no
// LF in all of the buffer.
const endWindow = 128

// ending returns the index of the CR or LF that ends a line, -1 when it ends behind part.
func (l *Reader) ending(part []byte) int {
	for from := 0; from < len(part); from += endWindow {
		window := part[from:min(from+endWindow, len(part))]
		l.looked += int64(len(window))
		n := bytes.IndexByte(window, '\n')
		if n >= 0 {
			window = window[:n]
		}
		if m := bytes.IndexByte(window, '\r'); m >= 0 {
			return from + m
		}
		if n >= 0 {
			return from + n
		}
	}
	return -1
}

// lineEnd takes the end of a line: any number of CR, and a LF.
func (l *Reader) lineEnd() {
	l.lines++
	for l.fill() && l.buf[l.pos] == '\r' {
		l.pos++
	}
	if l.fill() && l.buf[l.pos] == '\n' {
		l.pos++
	}
}

// empty passes over empty lines.
func (l *Reader) empty() {
	for l.lead == 0 && l.fill() && (l.buf[l.pos] == '\r' || l.buf[l.pos] == '\n') {
		l.lineEnd()
	}
}

// blanks takes blanks and counts them.
func (l *Reader) blanks() int {
	n := 0
	for l.fill() && (l.buf[l.pos] == ' ' || l.buf[l.pos] == '\t') {
		l.pos++
		n++
	}
	return n
}

// fill makes at least one byte available and reports whether there is one.
func (l *Reader) fill() bool {
	for l.pos == l.end {
		if l.Err != nil || l.r == nil {
			return false
		}
		n, err := l.r.Read(l.buf)
		l.pos, l.end = 0, n
		if err != nil {
			l.r = nil
			if err != io.EOF {
				l.Err = err
			}
		}
	}
	return true
}

// decoded returns the line as UTF-8, by the CHARSET that it names.
func (l *Reader) decoded() []byte {
	if utf8.Valid(l.line) {
		return l.line
	}
	text, known := charset.Decode(l.line, declared(l.line))
	if !known {
		l.Guessed++
	}
	l.line = append(l.line[:0], text...)
	return l.line
}

// wholeRunes takes the bytes off that a cut left of a code point.
func wholeRunes(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}
