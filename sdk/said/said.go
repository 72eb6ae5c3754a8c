package said

import (
	"strings"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// How much of a provider's sentence reaches the owner, and how much of a body is looked at
// for it.
const (
	maxSentence = 200 // characters
	maxBody     = 64 << 10
	// secretLength is how long a run of letters and digits is that may be a token.
	secretLength = 20
)

// In returns the sentence of an answer's body, "" when it has none.
func In(body []byte, contentType string) string {
	body = body[:min(len(body), maxBody)]
	if v, err := jsonvalue.Parse(body); err == nil {
		return Of(v)
	}
	text := strings.TrimSpace(string(body))
	switch {
	case strings.HasPrefix(text, "<"), strings.Contains(strings.ToLower(contentType), "html"):
		text = pageText(text)
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return "" // JSON that is cut off
	}
	return sentence(text)
}

// Quoted is the end of a message that quotes a sentence, "" without one.
func Quoted(sentence string) string {
	if sentence == "" {
		return ""
	}
	return `; its own words: "` + sentence + `"`
}

// members are the members that have a sentence, the most telling first. Those that hold an
// object or a list are looked into.
var members = []string{"error_description", "message", "Message", "detail", "details", "error", "errors", "title", "reason", "description", "name"}

// maxDepth bounds how deep a sentence lies: {"errors": [{"error": {"message"}}]}.
const maxDepth = 5

// Of returns the sentence of an answer in JSON.
func Of(v jsonvalue.Value) string {
	for range maxDepth {
		var into jsonvalue.Value
		if v.Kind() == jsonvalue.Array {
			v = v.At(0)
		}
		if v.Kind() == jsonvalue.String {
			return sentence(v.Str())
		}
		for _, name := range members {
			member := v.Get(name)
			if text := sentence(member.Str()); text != "" {
				return text
			}
			if kind := member.Kind(); !into.Exists() && (kind == jsonvalue.Object || kind == jsonvalue.Array && member.Len() > 0) {
				into = member
			}
		}
		if !into.Exists() {
			return ""
		}
		v = into
	}
	return ""
}

// sentence makes one line of a text, bounded and without what may be a secret.
func sentence(text string) string {
	var words []string
	length := 0
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c <= ' ' || c == utf8.RuneError || hidden(c) }) {
		if word = withoutSecret(word); length+utf8.RuneCountInString(word) >= maxSentence-1 {
			words = append(words, "…")
			break
		}
		length += utf8.RuneCountInString(word) + 1
		words = append(words, word)
	}
	if len(words) == 1 && words[0] == "…" {
		return ""
	}
	return strings.ReplaceAll(strings.Join(words, " "), `"`, "'") // so that it cannot end its quotation
}

// hidden reports a character that shows nothing, or changes the direction of what follows.
func hidden(c rune) bool {
	return c >= 0x7F && c < 0xA0 || c >= 0x200B && c <= 0x200F || c >= 0x2028 && c <= 0x202E || c >= 0x2060 && c <= 0x206F || c == 0xFEFF
}

// withoutSecret replaces each part of a word that is as long as a token and has a digit.
func withoutSecret(word string) string {
	out, from, digits := make([]byte, 0, len(word)), 0, false
	for i := 0; i <= len(word); i++ {
		if i < len(word) && tokenByte(word[i]) {
			digits = digits || word[i] >= '0' && word[i] <= '9'
			continue
		}
		if part := word[from:i]; digits && len(part) >= secretLength {
			out = append(out, "…"...)
		} else {
			out = append(out, part...)
		}
		if i < len(word) {
			out = append(out, word[i])
		}
		from, digits = i+1, false
	}
	return string(out)
}

func tokenByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c == '+' || c == '='
}

// unseen are the elements of a page whose text is not shown, or not a sentence.
var unseen = []string{"script", "style", "svg", "noscript", "head"}

// pageText returns the text that a page of HTML shows, or else its title. It is a reader of
// refusals: what it gets wrong costs a sentence.
func pageText(page string) string {
	lower, shown, title := strings.ToLower(page), make([]byte, 0, maxSentence), ""
	if len(lower) != len(page) { // a letter whose small form has another length
		lower = page
	}
	if at := strings.Index(lower, "<title>"); at >= 0 {
		title, _, _ = strings.Cut(page[at+len("<title>"):], "<")
	}
	for i := 0; i < len(page); {
		if page[i] != '<' {
			shown = append(shown, page[i])
			i++
			continue
		}
		name, end := lower[i+1:], ">"
		for _, element := range unseen {
			if strings.HasPrefix(name, element) && (len(name) == len(element) || !tokenByte(name[len(element)])) {
				end = "</" + element + ">"
			}
		}
		at := strings.Index(lower[i:], end)
		if at < 0 {
			break
		}
		i += at + len(end)
		shown = append(shown, ' ')
	}
	if text := unescape.Replace(string(shown)); strings.TrimSpace(text) != "" {
		return text
	}
	return unescape.Replace(title)
}

var unescape = strings.NewReplacer("&nbsp;", " ", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&#x27;", "'", "&rsquo;", "’", "&amp;", "&")
