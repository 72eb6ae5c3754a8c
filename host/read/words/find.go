package words

import (
	"strings"
	"unicode/utf8"
)

// Match is how a text has all of some terms.
type Match struct {
	Start, End int   // of the first one
	Times      []int // how often each is there
	Words      int   // how many words the text has
}

// Look returns how a text has all of the terms; false: it lacks one.
func Look(text string, terms []Term) (m Match, found bool) {
	words := Split(text)
	m.Words = len(words)
	for i := range terms {
		first, times := -1, 0
		for at := terms[i].in(words, 0); at >= 0; at = terms[i].in(words, at+1) {
			if first < 0 {
				first = at
			}
			times++
		}
		if times == 0 {
			return Match{}, false
		}
		if i == 0 {
			m.Start, m.End = words[first].Start, words[first+len(terms[i].Words)-1].End
		}
		m.Times = append(m.Times, times)
	}
	return m, len(terms) > 0
}

// Find returns where a text has the first of the terms, when it has all of them.
func Find(text string, terms []Term) (start, end int, found bool) {
	m, found := Look(text, terms)
	return m.Start, m.End, found
}

// in returns the next place of the term among words, from one on; -1: it is not there.
func (t *Term) in(words []Word, from int) int {
next:
	for at := from; at+len(t.Words) <= len(words); at++ {
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
