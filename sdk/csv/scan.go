package csv

import "github.com/pdpp-host/pdpp-host/sdk/charset"

// scan finds the fields of one row, line by line.
type scan struct {
	separator byte
	bare      bool // a carriage return ends a line
	lax       bool // the first quote closes, and text may stand behind it

	text []byte // of the row, field behind field
	ends []int  // of the fields in text

	start  int
	quoted bool
	was    bool // a field in quotes has been closed
	filled bool // the line has anything
	stray  bool // a quote within a field in quotes neither closes nor is doubled
}

func (s *scan) begin(separator byte, bare bool) {
	*s = scan{separator: separator, bare: bare, text: s.text[:0], ends: s.ends[:0]}
}

// take reads one line, and reports whether the row ends with it. Not ok: the row is damaged. A field
// with a stray quote in it does not go on in another line: there a quote that was never closed
// met the next one.
func (s *scan) take(b []byte) (done, ok bool) {
	further := s.quoted
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == 0:
			return false, false
		case c == '\r' && i+1 < len(b) && b[i+1] == '\n': // the line feed ends the line, and stands alone in quoted text
		case s.quoted && c == '"':
			switch {
			case i+1 < len(b) && b[i+1] == '"':
				i++
				s.text = append(s.text, '"')
			case s.lax || s.closes(b[i+1:]):
				s.quoted, s.was = false, true
				s.stray = s.stray || !s.closes(b[i+1:])
			case further:
				return false, false
			default:
				s.stray = true
				s.text = append(s.text, '"')
			}
		case s.quoted:
			s.text = append(s.text, c)
		case c == '"' && len(s.text) == s.start && !s.was:
			s.quoted, s.filled = true, true
		case c == s.separator:
			s.filled = true
			s.end()
		case c == '\n', s.bare && c == '\r':
			s.end()
			return true, true
		default:
			s.filled = true
			s.text = append(s.text, c)
		}
	}
	if s.quoted {
		return false, !s.stray
	}
	s.end() // at the end of the text
	return true, true
}

// closes reports whether a quote in front of b closes its field.
func (s *scan) closes(b []byte) bool {
	switch {
	case len(b) == 0, b[0] == s.separator, b[0] == '\n', s.bare && b[0] == '\r':
		return true
	}
	return b[0] == '\r' && len(b) > 1 && b[1] == '\n'
}

func (s *scan) end() {
	if len(s.ends) < Fields {
		s.ends = append(s.ends, len(s.text))
	} else {
		s.text = s.text[:s.start]
	}
	s.start, s.was = len(s.text), false
}

// list appends the fields as UTF-8.
func (s *scan) list(row []string) []string {
	from := 0
	for _, end := range s.ends {
		field, _ := charset.Text(s.text[from:end])
		row = append(row, field)
		from = end
	}
	return row
}
