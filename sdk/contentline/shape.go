package contentline

import "bytes"

// Trim takes white space, control characters and marks of byte order off both ends: producers and
// editors leave them around names, dates and whole lines.
func Trim(b []byte) []byte {
	return bytes.TrimFunc(b, func(r rune) bool {
		switch {
		case r <= ' ', r >= '\u007f' && r <= '\u00a0', r >= '\u2000' && r <= '\u200b':
			return true
		}
		return r == '\u2028' || r == '\u2029' || r == '\u202f' || r == '\u205f' || r == '\u3000' || r == '\ufeff'
	})
}

// IsName reports whether b is a name of RFC 5545, section 3.1.
func IsName(b []byte) bool { return len(b) > 0 && nameLength(b) == len(b) }

// isStructure reports whether the line is a BEGIN or END with a name.
func isStructure(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte{':'})
	if !ok || !IsName(Trim(value)) {
		return false
	}
	name = Trim(name)
	return bytes.EqualFold(name, []byte("BEGIN")) || bytes.EqualFold(name, []byte("END"))
}

// looksLikeProperty reports whether the line begins with a name and what follows one.
func looksLikeProperty(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	n := nameLength(line)
	rest := bytes.TrimLeft(line[n:], " \t")
	return n > 0 && len(rest) > 0 && (rest[0] == ':' || rest[0] == ';')
}

// shortLine is up to how many bytes nobody folds a line: RFC 5545, section 3.1, asks for it beyond 75.
const shortLine = 60

// isComplete reports whether a line is short and has a value that is no text: a time, a number, a
// word or an identifier. The next line is then no part of it if it may be a property.
func isComplete(line []byte) bool {
	if len(line) > shortLine {
		return false
	}
	name := front(line)
	name = name[:nameLength(name)]
	if len(name) > longestName || !complete[string(Upper(bytes.Clone(name)))] {
		return false
	}
	quoted := false
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ':' && !quoted:
			return len(Trim(line[i+1:])) > 0
		}
	}
	return false
}

// isProperty reports whether a line begins with the name of a property of an event, and what
// follows one.
func isProperty(line []byte) bool {
	if !looksLikeProperty(line) {
		return false
	}
	name := line[:min(nameLength(line), longestName+1)]
	name = Upper(bytes.Clone(name))
	return complete[string(name)] || texts[string(name)]
}

// longestName is the length of the longest name of these.
const longestName = len("PERCENT-COMPLETE")

// complete are properties whose values are no text, and texts are others (RFC 5545, sections 3.7 and
// 3.8).
var (
	complete = map[string]bool{
		"CALSCALE": true, "METHOD": true, "VERSION": true, "CLASS": true, "GEO": true, "PERCENT-COMPLETE": true, "PRIORITY": true, "STATUS": true,
		"COMPLETED": true, "DTEND": true, "DUE": true, "DTSTART": true, "DURATION": true, "TRANSP": true, "RECURRENCE-ID": true, "UID": true,
		"CREATED": true, "DTSTAMP": true, "LAST-MODIFIED": true, "SEQUENCE": true,
	}
	texts = map[string]bool{
		"PRODID": true, "ATTACH": true, "CATEGORIES": true, "COMMENT": true, "DESCRIPTION": true, "LOCATION": true, "RESOURCES": true, "SUMMARY": true,
		"ATTENDEE": true, "CONTACT": true, "ORGANIZER": true, "URL": true, "EXDATE": true, "RDATE": true, "RRULE": true,
	}
)

// header returns the line up to its value.
func header(line []byte) []byte {
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		return line[:i]
	}
	return nil
}

// declared returns the value of the line's CHARSET, "" without one.
func declared(line []byte) string {
	for _, p := range bytes.Split(header(line), []byte{';'}) {
		if name, value, ok := bytes.Cut(p, []byte{'='}); ok && bytes.EqualFold(Trim(name), []byte("CHARSET")) {
			return string(Trim(value))
		}
	}
	return ""
}
