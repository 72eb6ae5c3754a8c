package words

import (
	"strings"
	"time"
	"unicode"
)

// Clean removes control and formatting characters, so that text of a stranger
// can neither move the cursor nor forge a line. Line ends become spaces.
func Clean(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsPrint(r):
			return r
		default:
			return -1
		}
	}, s)
}

// Cut shortens s to at most width runes, the last one an ellipsis.
func Cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	return string(runes[:width-1]) + "…"
}

// CutName shortens the name of a file to at most width runes, with an ellipsis in its middle: what
// tells two paths apart stands at their ends as often as in front.
func CutName(s string, width int) string {
	runes := []rune(s)
	if width <= 0 || len(runes) <= width {
		return Cut(s, width)
	}
	front := width / 2
	return string(runes[:front]) + "…" + string(runes[len(runes)-(width-front-1):])
}

// Timestamp writes a time for people, to the second, in UTC.
func Timestamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
