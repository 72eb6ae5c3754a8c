package plugin

import (
	"errors"
	"unicode"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
)

// tailBytes is the size of the end of a guest's output in an Exit.
const tailBytes = 8 << 10

// tail keeps the last tailBytes written to it.
type tail struct{ b []byte }

func (t *tail) write(p []byte) {
	t.b = append(t.b, p[max(0, len(p)-tailBytes):]...)
	if len(t.b) > 2*tailBytes {
		t.b = t.b[:copy(t.b, t.b[len(t.b)-tailBytes:])]
	}
}

func (t *tail) String() string {
	var out []byte
	for line := t.b[max(0, len(t.b)-tailBytes):]; len(line) > 0; {
		i := 0
		for i < len(line) && line[i] != '\n' {
			i++
		}
		out = clean(out, line[:i])
		if i < len(line) {
			out = append(out, '\n')
			i++
		}
		line = line[i:]
	}
	return string(out)
}

// clean appends text to dst without anything that could act on a terminal or forge a
// second log line: control characters, invalid UTF-8 and characters that reorder or
// hide text. Line ends and tabs become spaces.
func clean(dst, text []byte) []byte {
	for len(text) > 0 {
		c, n := utf8.DecodeRune(text)
		switch {
		case c == '\n' || c == '\t':
			dst = append(dst, ' ')
		case c == utf8.RuneError && n == 1, unicode.IsControl(c), unicode.Is(unicode.Cf, c), c == '\u2028', c == '\u2029':
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	for len(dst) > 0 && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// asError returns the first *abi.Error in err's chain, or one that hides err's text
// from the guest.
func asError(err error) *abi.Error {
	if e, ok := errors.AsType[*abi.Error](err); ok {
		return e
	}
	return abi.NewError(abi.CodeInternal, "the host could not do this", "").Wrap(err)
}
