package words

import (
	"strings"
)

// Term is words that stand one behind the other.
type Term struct {
	Words  []string
	Prefix bool // the last one may go on
}

// mostTerms bounds the terms of a query.
const mostTerms = 32

// Query reads what somebody searches for (RD-27.2): words, each of which has to be there,
// "phrases" in quotes, and behind the last word a * for any end. Every other character
// separates, so that any text is a query; one without a word has no terms.
func Query(q string) []Term {
	var terms []Term
	for i, piece := range strings.Split(q, `"`) {
		words := Split(piece)
		switch {
		case len(words) == 0:
		case i%2 == 1:
			terms = append(terms, phrase(words))
		default:
			from := 0
			for at := 1; at <= len(words); at++ {
				// Words without anything between them were written as one.
				if at == len(words) || words[at-1].End != words[at].Start {
					terms = append(terms, phrase(words[from:at]))
					from = at
				}
			}
		}
	}
	trimmed := strings.TrimRight(q, " \t\r\n")
	if body, star := strings.CutSuffix(trimmed, "*"); star && len(terms) > 0 {
		if last := Split(body); len(last) > 0 && last[len(last)-1].End == len(body) && strings.Count(body, `"`)%2 == 0 {
			terms[len(terms)-1].Prefix = true
		}
	}
	return terms[:min(len(terms), mostTerms)]
}

func phrase(words []Word) Term {
	t := Term{Words: make([]string, len(words))}
	for i, w := range words {
		t.Words[i] = w.Text
	}
	return t
}
