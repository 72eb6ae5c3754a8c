package health

import (
	"encoding/json"
	"strings"
	"unicode"
)

// maxSentence bounds a refusal's sentence, in bytes.
const maxSentence = 240

// hidden replaces a word that was removed from a sentence.
const hidden = "…"

// Sentence returns a refusal's own words on one line, within bounds. It is reasonOf for a
// sentence: words that could hold a secret or a location are removed, and a text that
// assigns a secret becomes empty. (Security: HL-02.1.)
func Sentence(raw string) string {
	if len(raw) > 4*maxSentence { // enough to fill a sentence; bounds the work
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

// Word is a short text that may be missing: the empty Word is null on the wire. Words
// that leave this package are stable lower-case codes or identities.
type Word string

// MarshalJSON writes the word, or null for none.
func (w Word) MarshalJSON() ([]byte, error) {
	if w == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(w))
}
