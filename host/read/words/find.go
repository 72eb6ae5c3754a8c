package words

import (
	"strings"
	"unicode/utf8"
)

// Find returns where a text has the first of the terms, when it has all of them.
func Find(text string, terms []Term) (start, end int, found bool) {
	words := Split(text)
	for i, t := range terms {
		at := t.in(words)
		if at < 0 {
			return 0, 0, false
		}
		if i == 0 {
			start, end = words[at].Start, words[at+len(t.Words)-1].End
		}
	}
	return start, end, len(terms) > 0
}

// in returns the place of the term among words; -1: it is not there.
func (t *Term) in(words []Word) int {
next:
	for at := 0; at+len(t.Words) <= len(words); at++ {
		for i, want := range t.Words {
			got := words[at+i].Text
			if last := i == len(t.Words)-1; got != want && (!last || !t.Prefix || !strings.HasPrefix(got, want)) {
				continue next
			}
		}
		return at
	}
	return -1
}

// A snippet has so many characters at most, and so many of them before the match.
const (
	snippetChars = 320
	before       = 80
)

// Snippet is a part of a text with what was found in it (RD-27.6): a part as it stands
// there, whole characters. More: text was left out before it, behind it.
func Snippet(text string, start int) (part string, moreBefore, moreBehind bool) {
	from := start
	for n := 0; from > 0 && n < before; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	to := from
	for n := 0; to < len(text) && n < snippetChars; n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	return text[from:to], from > 0, to < len(text)
}
