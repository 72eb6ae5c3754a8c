package mbox

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

// Address is a mailbox that a header names.
type Address struct{ Name, Email string }

// Raw returns the first field of that name as it stands, unfolded, "" without one.
func (r *Reader) Raw(name string) string {
	for rest := r.header; len(rest) > 0; {
		var line []byte
		start := len(r.header) - len(rest)
		for end := 0; ; { // a line that begins with white space goes on
			i := indexLineFeed(rest[end:])
			end += i
			if end == len(rest) || rest[end] != ' ' && rest[end] != '\t' {
				line, rest = rest[:end], rest[end:]
				break
			}
		}
		if len(line) > len(name) && line[len(name)] == ':' && strings.EqualFold(string(line[:len(name)]), name) {
			text, taken := unfold(line[len(name)+1:])
			r.taken += int64(taken)
			r.cut = r.cut || slices.Contains(r.field.cuts, start)
			return text
		}
	}
	r.cut = r.cut || r.dropped
	return ""
}

// indexLineFeed returns where the text behind the next line feed begins.
func indexLineFeed(b []byte) int {
	for i, c := range b {
		if c == '\n' {
			return i + 1
		}
	}
	return len(b)
}

// unfold joins the lines of a field and makes its text valid UTF-8. taken counts the bytes that
// were not.
func unfold(b []byte) (_ string, taken int) {
	text, taken := charset.Text(b) // a header that declares no charset
	return strings.TrimSpace(strings.NewReplacer("\r\n", "", "\n", "", "\t", " ", "\x00", "").Replace(text)), taken
}

// Header returns the first field of that name, its encoded words decoded, "" without one.
func (r *Reader) Header(name string) string { return Decode(r.Raw(name)) }

// Date returns the time of the field of that name; false without one that is a time.
func (r *Reader) Date(name string) (time.Time, bool) { return ParseDate(r.Raw(name)) }

// dateForms are those of RFC 5322 and of its predecessors, and what programs write beside them.
var dateForms = []string{
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04 -0700", "2 Jan 2006 15:04 MST", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04",
	"2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04:05 MST", "2 Jan 06 15:04 -0700", "2 Jan 06 15:04 MST", "2 Jan 06 15:04:05", "2 Jan 06 15:04",
	time.RFC3339,
}

// zones are the names of zones in RFC 5322, and those of Europe that old programs write.
var zones = map[string]string{
	"UT": "+0000", "GMT": "+0000", "UTC": "+0000", "Z": "+0000", "EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500", "MST": "-0700",
	"MDT": "-0600", "PST": "-0800", "PDT": "-0700", "WET": "+0000", "WEST": "+0100", "CET": "+0100", "CEST": "+0200", "MET": "+0100", "EET": "+0200", "EEST": "+0300",
}

// ParseDate reads a date of a header, with or without its weekday and a comment.
func ParseDate(text string) (time.Time, bool) {
	if i := strings.IndexByte(text, '('); i >= 0 {
		text = text[:i]
	}
	if i := strings.IndexByte(text, ','); i >= 0 {
		text = text[i+1:]
	}
	fields := strings.Fields(text)
	numbered(fields)
	text = strings.Join(fields, " ")
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), t.Year() > 0
		}
	}
	return time.Time{}, false
}

// numbered gives names of zones among fields their numbers.
func numbered(fields []string) {
	for i, f := range fields {
		if number, is := zones[f]; is {
			fields[i] = number
		}
	}
}

// receivedForms are those of the time in a message's first line, as programs write it.
var receivedForms = []struct {
	form  string
	zoned bool
}{
	{"Mon Jan 2 15:04:05 -0700 2006", true}, {"Mon Jan 2 15:04:05 2006 -0700", true}, {time.RFC3339, true}, {"Mon Jan 2 15:04:05 2006", false},
	{"2006-01-02T15:04:05", false}, {"Mon Jan 2 15:04 2006", false},
}

// Received returns when a message without a date came in: as the newest of its fields Received says, or else its
// first line. Zoned is false for a time without a zone, which is taken as UTC; ok is false without a time.
func (r *Reader) Received() (at time.Time, zoned, ok bool) {
	field := r.Raw("Received")
	if at, ok = ParseDate(field[strings.LastIndexByte(field, ';')+1:]); ok {
		return at, true, true
	}
	fields := strings.Fields(strings.TrimPrefix(r.From(), "From "))
	numbered(fields)
	for from := 1; from < len(fields); from++ { // a sender may have blanks
		text := strings.Join(fields[from:], " ")
		for _, f := range receivedForms {
			if at, err := time.Parse(f.form, text); err == nil && at.Year() > 0 {
				return at.UTC(), f.zoned, true
			}
		}
	}
	return time.Time{}, false, false
}

// maxAddresses bounds a list of addresses.
const maxAddresses = 1000

// Addresses returns the addresses of the field of that name, at most a thousand.
func (r *Reader) Addresses(name string) []Address {
	list, more := parseAddresses(r.Raw(name))
	r.cut = r.cut || more
	return list
}

// Emails returns the addresses of the field of that name without their names.
func (r *Reader) Emails(name string) []string {
	addresses := r.Addresses(name)
	list := make([]string, len(addresses))
	for i, a := range addresses {
		list[i] = a.Email
	}
	return list
}

// ParseAddresses reads a list of addresses: "Name <user@host>, user@host (Name)". It leaves
// out the names of groups, and whatever has no address.
func ParseAddresses(text string) []Address {
	list, _ := parseAddresses(text)
	return list
}

// parseAddresses reports whether there are more than it returns, too.
func parseAddresses(text string) (list []Address, more bool) {
	var name, email strings.Builder
	add := func() {
		a := Address{Decode(strings.TrimSpace(name.String())), strings.TrimSpace(email.String())}
		if a.Email == "" && strings.Contains(a.Name, "@") && !strings.Contains(a.Name, " ") {
			a = Address{"", a.Name}
		}
		if more = more || a.Email != "" && len(list) == maxAddresses; a.Email != "" && !more {
			list = append(list, a)
		}
		name.Reset()
		email.Reset()
	}
	quoted, angle, comment := false, false, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && (quoted || comment > 0) && i+1 < len(text) {
			i++
			c = text[i]
			name.WriteByte(c)
			continue
		}
		switch {
		case c == '"' && comment == 0:
			quoted = !quoted
		case quoted:
			name.WriteByte(c)
		case c == '(':
			if comment++; comment == 1 && email.Len() == 0 { // user@host (Name)
				if bare := strings.TrimSpace(name.String()); strings.Contains(bare, "@") {
					email.WriteString(bare)
					name.Reset()
				}
			}
		case c == ')' && comment > 0:
			comment--
		case comment > 0:
			name.WriteByte(c)
		case c == '<':
			angle = true
			email.Reset()
		case c == '>':
			angle = false
		case angle:
			email.WriteByte(c)
		case c == ',' || c == ';':
			add()
		case c == ':': // of a group
			name.Reset()
		default:
			name.WriteByte(c)
		}
	}
	add()
	return list, more
}
