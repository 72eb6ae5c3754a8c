package health

import (
	"encoding/json"
	"strconv"
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

// MostSays bounds KnownGap.Says, in bytes.
const MostSays = 600

const (
	mostNames = 2   // that words name
	mostName  = 120 // of a name, in bytes
)

// LeftWords returns a run's message about what it left to its owner as a quotation, without a provider's
// own words and with the first of the names of what it is about, of which there are total, in at most MostSays bytes: “2 entries
// have no time”: a.json. It is "" for a message of which nothing may be shown.
func LeftWords(message string, names []string, total int64) string {
	said := Saying(withoutProviderWords(message))
	if said == "" {
		return ""
	}
	said = "“" + said + "”"
	names = names[:min(len(names), mostNames)]
	for i, name := range names {
		if said += ", "; i == 0 {
			said = strings.TrimSuffix(said, ", ") + ": "
		}
		said += shortName(name)
	}
	if more := total - int64(len(names)); more > 0 && len(names) > 0 {
		said += " and " + strconv.FormatInt(more, 10) + " more"
	}
	return said
}

// shortName is a name as sentences have it: on one line, without what could move a reader's cursor,
// and cut in its middle, since a path's end says most.
func shortName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
	if len(name) <= mostName {
		return name
	}
	const cut = "…"
	half := (mostName - len(cut)) / 2
	return strings.ToValidUTF8(name[:half], "") + cut + strings.ToValidUTF8(name[len(name)-half:], "")
}
