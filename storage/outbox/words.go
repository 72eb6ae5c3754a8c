package outbox

import (
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// Limits on what is kept of a failure (collector contract, section 3).
const (
	MaxClass   = 160
	MaxMessage = 300

	// longToken is the length from which a run of letters and digits is taken
	// for a secret or an identity.
	longToken = 24
)

// removed stands for a word of a message that could be a secret, a path or an
// address.
const removed = "[...]"

// CleanText returns a message for a person without what could be a secret or say
// where something lives: it is shown away from the device (LC-07.4). It errs on
// the side of removing.
func CleanText(s string) string {
	var out []string
	bearer := false
	for _, word := range strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '"' || r == '\'' || r == '`' || r == '<' || r == '>'
	}) {
		lower := strings.ToLower(word)
		if bearer || tellsTooMuch(lower, "_-") {
			word = removed
		}
		bearer = lower == "bearer" || lower == "basic"
		out = append(out, word)
	}
	return cut(strings.Join(out, " "), MaxMessage)
}

// aPath is a word that says where something lives on a machine.
var aPath = regexp.MustCompile(`(^|[\s"'(\[{<=:,;])(?:/|~/|[A-Za-z]:[\\/]|\\\\)[^\s"'<>,;)\]}]+`)

// pathless returns a message without the paths in it. The lane's own is known as
// it is: it may hold spaces.
func (l *lane) pathless(text string) string {
	text = strings.ReplaceAll(text, l.path, removed)
	text = strings.ReplaceAll(text, filepath.Dir(l.path)+string(filepath.Separator), removed)
	return aPath.ReplaceAllString(text, "${1}"+removed)
}

// tellsTooMuch reports whether a word in lower case is no plain word. joins are
// what a token may hold besides letters and digits.
func tellsTooMuch(word, joins string) bool {
	if strings.ContainsAny(word, `/\@=~`) || strings.HasPrefix(word, "ldt") || strings.HasPrefix(word, "lde") {
		return true
	}
	run, digits := 0, false
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(joins, r) {
			run, digits = 0, false
			continue
		}
		run++
		digits = digits || unicode.IsDigit(r)
		if run >= longToken && digits {
			return true
		}
	}
	return false
}

// UnknownWord is what OutboxWord makes of a text that says nothing, or too much.
const UnknownWord = "unknown"

// Word returns a code, such as the reason of a gap, as an outbox keeps it: a
// word without spaces that is no secret, or UnknownWord.
func Word(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_.:-", r):
			return r
		}
		return '_'
	}, cut(strings.ToValidUTF8(s, "_"), MaxClass))
	if s == "" || tellsTooMuch(strings.ToLower(s), "") {
		return UnknownWord
	}
	return s
}

// cut shortens s to n bytes, at the end of a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
