package health

import (
	"strings"
	"unicode"
)

// maxSentence bounds a sentence of a refusal, in bytes.
const maxSentence = 240

// hidden stands for a word that was taken out of a sentence.
const hidden = "…"

// Sentence passes what a refusal says in its own words, in one line and in bounds.
// It is admit for a sentence: words that could hold a secret, or say where
// something lives, are taken out, and nothing is left of a text that assigns one.
// (Security: HL-02.1.)
func Sentence(raw string) string {
	if len(raw) > 4*maxSentence { // enough to fill a sentence, and no more work than that
		raw = raw[:4*maxSentence]
	}
	raw = strings.ToValidUTF8(raw, hidden)
	words := strings.FieldsFunc(raw, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if assignsSecret(strings.ToLower(strings.Join(words, " "))) {
		return ""
	}
	var b strings.Builder
	for _, word := range words {
		if bare := strings.Trim(word, `"'().,;`); looksSecret(bare) {
			word = strings.Replace(word, bare, hidden, 1)
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if b.Len()+len(word)+len(" "+hidden) > maxSentence {
			b.WriteString(hidden)
			break
		}
		b.WriteString(word)
	}
	return b.String()
}
