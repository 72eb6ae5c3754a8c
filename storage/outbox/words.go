package outbox

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi/device"
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

// unsigned is a refusal that no host signs with a code of its own, and so may be
// of something on the way.
var unsigned = regexp.MustCompile(`^http_4\d\d$`)

// TransientClass reports whether a delivery that failed with the class may succeed later
// unchanged: the class is timeout, connection, network, http_408, http_429, http_5xx, or a
// redirect to nowhere, followed by the host's own word, if it gave one. A refusal without
// such a word does not come from the host.
func TransientClass(class string) bool {
	word, code, _ := strings.Cut(class, ":")
	switch {
	case code == "" && unsigned.MatchString(word), word == "http_408", word == "http_429", word == device.CodeRetryable, code == device.CodeRetryable:
		return true
	}
	return slices.ContainsFunc([]string{"http_3", "http_5", "timeout", "connection", "network"}, func(p string) bool {
		return strings.HasPrefix(word, p)
	})
}
