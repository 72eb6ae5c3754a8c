package mbox

import (
	"bytes"
	"slices"
	"strings"
)

// byteOrder is the mark of the byte order, which programs of Windows write in front of a text.
const byteOrder = "\ufeff"

// aheadBytes bounds what is looked at behind a line that may begin a message.
const aheadBytes = 8 << 10

// separates reports whether the line at hand begins a message, and returns it without what stands
// in front of it. blank: the line before is empty. Without an empty line it needs a whole envelope
// and two fields behind it, because a body may quote a line of another message.
func (r *Reader) separates(blank bool) (line []byte, ok bool) {
	line = bytes.TrimLeft(r.line, "\x00")
	if len(line) < len(r.line) { // a block that was never written, where the message in front ends
		if ok = isSeparator(line); ok {
			r.damaged("zero bytes in front of a message")
		}
		return line, ok
	}
	if text, marked := bytes.CutPrefix(line, []byte(byteOrder)); marked { // files were joined
		return text, isSeparator(text)
	}
	return line, isSeparator(line) && (blank || isEnvelope(line) && r.headerFollows())
}

// headerFollows reports whether two fields stand behind the line at hand. A single field, and the
// end of a header behind it, may be a message or a quotation, and is damaged.
func (r *Reader) headerFollows() bool {
	ahead := r.ahead()
	fields := 0
	for rest := ahead; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		switch {
		case len(rest) == 0 && len(ahead) == aheadBytes && (fields == 1 || isField(line)): // the first field is long
			return true
		case fields == 1 && len(line) > 0 && (line[0] == ' ' || line[0] == '\t'): // it goes on
		case isField(line):
			if fields++; fields > 1 {
				return true
			}
		case fields == 1 && len(trimEnd(line)) == 0:
			rest = nil
		default:
			return false
		}
	}
	if fields == 1 {
		r.damaged("a line that may begin a message")
	}
	return false
}

// ahead returns what stands behind the line at hand, at most aheadBytes.
func (r *Reader) ahead() []byte {
	if len(r.held) < aheadBytes {
		n := copy(r.buf, r.held)
		for n < aheadBytes && r.inErr == nil {
			var more int
			more, r.inErr = r.in.Read(r.buf[n:])
			n += more
		}
		r.held = r.buf[:n]
	}
	return r.held[:min(len(r.held), aheadBytes)]
}

// isField reports whether a line begins a field of a header: a name and a colon. An address is none.
func isField(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte{':'})
	return ok && len(name) > 0 && !bytes.HasPrefix(value, []byte("//")) && !bytes.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' })
}

// isSeparator reports whether a line begins a message: "From ", a sender, and a time.
func isSeparator(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) {
		return false
	}
	for i := 5; i+8 <= len(line); i++ { // 12:34:56
		if line[i+2] == ':' && line[i+5] == ':' && digits(line[i:i+2]) && digits(line[i+3:i+5]) && digits(line[i+6:i+8]) {
			return true
		}
	}
	return isEnvelope(line)
}

// isEnvelope reports whether a line is a whole envelope, and nothing else: "From ", a sender, and
// a date in the form of C's asctime, with or without a zone in front of the year or behind it.
func isEnvelope(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) {
		return false
	}
	const least, most = 6, 8 // sender, day of the week, month, day, time, year; a zone, and what is behind the year
	words := strings.Fields(string(line[5:]))
	if len(words) < least || len(words) > most || !isOneOf(words[1], "MonTueWedThuFriSatSun") || !isOneOf(words[2], "JanFebMarAprMayJunJulAugSepOctNovDec") {
		return false
	}
	day, clock, rest := words[3], words[4], words[5:]
	if len(day) > 2 || !allDigits(day) || !isClock(clock) {
		return false
	}
	year := slices.IndexFunc(rest, func(s string) bool { return len(s) == 4 && allDigits(s) })
	return year == 0 && len(rest) < 3 || year == 1
}

// isOneOf reports whether a name of three letters is one of a list.
func isOneOf(name, list string) bool {
	const letters = 3
	return len(name) == letters && strings.Index(list, name)%letters == 0
}

// isClock reports whether a text is a time of the day: 1:02, 01:02 or 01:02:03.
func isClock(text string) bool {
	parts := strings.Split(text, ":")
	return len(parts) > 1 && len(parts) < 4 && !slices.ContainsFunc(parts, func(s string) bool { return len(s) > 2 || !allDigits(s) })
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func digits(b []byte) bool { return b[0]-'0' <= 9 && b[1]-'0' <= 9 }
