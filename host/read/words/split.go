package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of what is read of one text. A PostgreSQL tsvector holds a megabyte, with six bytes
// more for each word, and counts 16,383 positions.
const (
	MostWords = 14_500
	mostBytes = 64 // of one word, folded or not; the rest of a longer one is left out
)

// usualWord is about how many bytes a word has, with what separates it from the next.
const usualWord = 6

// Word is a folded word, and where it stands in its text.
type Word struct {
	Text       string
	Start, End int
}

// Split returns the words of a text, folded: in lower case, without diacritics. A character
// of a script that is written without spaces is a word of its own.
func Split(text string) []Word {
	words := make([]Word, 0, min(len(text)/usualWord+1, MostWords))
	each(text, func(start, end int) bool {
		if folded := fold(text[start:end]); folded != "" {
			words = append(words, Word{folded, start, end})
		}
		return len(words) < MostWords
	})
	return words
}

// Texts returns the words alone.
func Texts(text string) []string {
	words := make([]string, 0, min(len(text)/usualWord+1, MostWords))
	each(text, func(start, end int) bool {
		if folded := fold(text[start:end]); folded != "" {
			words = append(words, folded)
		}
		return len(words) < MostWords
	})
	return words
}

// each calls fn with the place of each word, until it returns false.
func each(text string, fn func(start, end int) bool) {
	start := -1
	for i, r := range text {
		switch {
		case alone(r):
			if start >= 0 && !fn(start, i) {
				return
			}
			start = -1
			if !fn(i, i+utf8.RuneLen(r)) {
				return
			}
		case part(r):
			if start < 0 {
				start = i
			}
		case start >= 0:
			if !fn(start, i) {
				return
			}
			start = -1
		}
	}
	if start >= 0 {
		fn(start, len(text))
	}
}

func part(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// alone reports whether a character belongs to a script without spaces between words.
func alone(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && !unicode.Is(unicode.M, r)
}

// fold folds a word. A word of marks alone becomes empty.
func fold(word string) string {
	plain := true
	for i := range len(word) {
		plain = plain && word[i] < utf8.RuneSelf
	}
	if plain {
		return strings.ToLower(cut(word))
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(cut(word)) {
		if !unicode.Is(unicode.M, r) && part(r) {
			for _, lower := range norm.NFKD.String(string(unicode.ToLower(r))) { // of İ an i with a dot
				if part(lower) && !unicode.Is(unicode.M, lower) {
					b.WriteRune(lower)
				}
			}
		}
	}
	return cut(b.String())
}

func cut(word string) string {
	if len(word) <= mostBytes {
		return word
	}
	end := mostBytes
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}
