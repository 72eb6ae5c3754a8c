package manifest

import (
	"strings"
	"unicode"
)

// mostMarks is how many marks stand on one letter in the scripts that have the most.
const mostMarks = 4

// IsPiled reports whether a text begins with a combining mark, which would stand on the text before
// it, or has more marks on one letter than any script needs: a pile covers the lines around it.
func IsPiled(text string) bool {
	marks := mostMarks
	for _, r := range text {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if marks > mostMarks {
			return true
		}
	}
	return false
}

// IsVisible reports whether a text has a character with a shape of its own. Some letters and signs,
// such as the Hangul filler U+3164, have no shape.
func IsVisible(text string) bool {
	const blank = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !strings.ContainsRune(blank, r)
	})
}
