package mbox

import (
	"encoding/base64"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

// Decode decodes the encoded words of a text. One in a charset that package charset does not have
// stays as it is.
func Decode(text string) string {
	if !strings.Contains(text, "=?") {
		return text
	}
	var out strings.Builder
	for after := false; len(text) > 0; { // after: an encoded word ended here
		start := strings.Index(text, "=?")
		if start < 0 {
			break
		}
		word, rest, ok := encodedWord(text[start:])
		if !ok {
			out.WriteString(text[:start+2])
			text, after = text[start+2:], false
			continue
		}
		if between := text[:start]; !after || strings.TrimSpace(between) != "" {
			out.WriteString(between) // white space between two encoded words is none
		}
		out.WriteString(word)
		text, after = rest, true
	}
	return out.String() + text
}

// Undecoded returns the charsets of the encoded words that Decode leaves as they are, in small letters, each as often as
// there are such words.
func Undecoded(text string) (charsets []string) {
	for start := strings.Index(text, "=?"); start >= 0; start = strings.Index(text, "=?") {
		text = text[start:]
		if _, rest, ok := encodedWord(text); ok {
			text = rest
			continue
		}
		w, ok := cutWord(text)
		if !ok || strings.ContainsAny(w.charset, " =") {
			text = text[2:]
			continue
		}
		text = w.rest
		if declared, _, _ := strings.Cut(strings.ToLower(w.charset), "*"); !isKnown(declared) {
			charsets = append(charsets, declared)
		}
	}
	return charsets
}

// isKnown reports whether package charset has the charset of that name.
func isKnown(name string) bool {
	if strings.EqualFold(name, "utf-8") {
		return true
	}
	_, known := charset.Decode([]byte{0xe9}, name)
	return known
}

// wordBytes bounds an encoded word. RFC 2047 allows 75 bytes, and some programs write a
// whole subject as one, with nine bytes for a letter of Chinese.
const wordBytes = 8 << 10

// word is an encoded word with what stands behind it.
type word struct {
	charset  string
	encoding byte
	content  string
	rest     string
}

// cutWord cuts the encoded word at the front of a text off.
func cutWord(text string) (w word, ok bool) {
	declared, tail, ok := strings.Cut(text[2:min(len(text), wordBytes)], "?")
	if !ok || len(tail) < 2 || tail[1] != '?' {
		return word{}, false
	}
	end := contentEnd(tail[2:])
	if end < 0 {
		return word{}, false
	}
	return word{declared, tail[0], tail[2 : 2+end], text[len("=?")+len(declared)+len("?q?")+end+len("?="):]}, true
}

// contentEnd returns where the content of an encoded word ends in the text behind its beginning, -1 for a word that does
// not end. It looks no further than the beginning of another one, which no content has, so that a text of nothing but
// beginnings is looked at once.
func contentEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i-1 : i+1] {
		case "?=":
			return i - 1
		case "=?":
			if !strings.HasPrefix(text[i+1:], "=") { // else it is the end of base64
				return -1
			}
		}
	}
	return -1
}

// encodedWord decodes the encoded word at the front of a text.
func encodedWord(text string) (decoded, rest string, ok bool) {
	w, ok := cutWord(text)
	if !ok {
		return "", "", false
	}
	var b []byte
	switch w.encoding {
	case 'B', 'b':
		var err error
		if b, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(w.content, "=")); err != nil {
			return "", "", false
		}
	case 'Q', 'q':
		b = unquote(w.content)
	default:
		return "", "", false
	}
	declared, _, _ := strings.Cut(w.charset, "*") // a language may follow
	if strings.EqualFold(declared, "utf-8") || strings.EqualFold(declared, "us-ascii") {
		decoded, _ := charset.Text(b)
		return strings.Map(printable, decoded), w.rest, true
	}
	if !isKnown(declared) {
		return "", "", false
	}
	decoded, _ = charset.Decode(b, declared)
	return strings.Map(printable, decoded), w.rest, true
}

// printable leaves control characters out.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

func unquote(s string) []byte {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '_':
			b = append(b, ' ')
		case s[i] == '=' && i+2 < len(s) && hex(s[i+1]) < 16 && hex(s[i+2]) < 16:
			b = append(b, hex(s[i+1])<<4|hex(s[i+2]))
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return b
}

func hex(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case (c|0x20)-'a' <= 5:
		return (c | 0x20) - 'a' + 10
	}
	return 255
}
