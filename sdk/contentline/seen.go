package contentline

import "bytes"

// seen is what is known of the bytes of a line so far. Each fold adds to it, and looks at no byte
// again: a line may have 100,000 folds.
type seen struct {
	length int  // how many bytes it covers
	solid  int  // behind the last of them that is no blank; 0: there is none
	valued bool // the value has begun
	quoted bool // the value is quoted-printable text
}

// look takes note of what was appended to the line.
func (l *Reader) look() {
	s := &l.seen
	added := l.line[s.length:]
	l.looked += int64(len(added))
	if n := len(bytes.TrimRight(added, " \t")); n > 0 {
		s.solid = s.length + n
	}
	if !s.valued {
		if i := bytes.IndexByte(added, ':'); i >= 0 {
			head := l.line[:s.length+i]
			s.valued, s.quoted = true, bytes.Contains(bytes.ToUpper(head), []byte("QUOTED-PRINTABLE"))
			l.looked += int64(len(head))
		}
	}
	s.length = len(l.line)
}

// softBreak reports whether the line is quoted-printable text that goes on in the next one.
func (l *Reader) softBreak() bool {
	l.look()
	return l.seen.quoted && l.seen.solid > 0 && l.line[l.seen.solid-1] == '='
}

// longestStructure is the most bytes that a line with a BEGIN or END has.
const longestStructure = 256

// structure reports whether the line up to there is a BEGIN or END with a name.
func (l *Reader) structure(to int) bool {
	if to > longestStructure {
		return false
	}
	l.looked += int64(to)
	return isStructure(l.line[:to])
}
