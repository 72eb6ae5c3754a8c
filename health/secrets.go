package health

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
)

// maxReason bounds a normalised reason, maxRaw its original text, both in bytes.
const (
	maxReason = 64
	maxRaw    = 512
)

// reasonOf is the one place where text from outside becomes a reason. It returns the text
// as a code (lower case, every other character replaced by one underscore, trimmed),
// or generic if the text cannot be trusted to be a code. redacted reports that a
// detail was removed.
//
// Text is refused if it could hold a secret or a location: a value after a word like
// token, a bearer value, a known token prefix, a long run of token characters, an
// address or a path. (Security: HL-02.1.)
func reasonOf(raw, generic Word) (reason Word, redacted bool) {
	code := Normalise(raw)
	switch {
	case code == "":
		return generic, false
	case code == raw && len(raw) < longRun && plainWords(string(raw)):
		return raw, false // plain words: too short for a token, and without digits
	case len(code) > maxReason, len(raw) > maxRaw, looksSecret(string(raw)):
		return generic, true
	}
	return code, false
}

// maxIdentity bounds an identity, in bytes.
const maxIdentity = 128

// Identity returns an identity that the host made (a run, a lease), and "" for a text
// with characters that identities do not have or with the form of a known token.
// Unlike a reason an identity may be long and random.
func Identity(raw Word) Word {
	if len(raw) > maxIdentity {
		return ""
	}
	s := strings.ToLower(string(raw))
	for i := range len(s) {
		if !isLower(s[i]) && !isDigit(s[i]) && strings.IndexByte("_-.:", s[i]) < 0 {
			return ""
		}
	}
	if assignsSecret(s) || hasTokenPrefix(s) {
		return ""
	}
	return raw
}

// Normalise turns text into a code: "Auth failed!" becomes auth_failed.
func Normalise(raw Word) Word {
	if isCode(raw) {
		return raw
	}
	b := make([]byte, 0, len(raw))
	for i := range len(raw) {
		c := raw[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		switch {
		case isLower(c) || isDigit(c):
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '_':
			b = append(b, '_')
		}
	}
	return Word(strings.TrimSuffix(string(b), "_"))
}

// isCode reports whether w is already normalised.
func isCode(w Word) bool {
	for i := range len(w) {
		c := w[i]
		if isLower(c) || isDigit(c) || c == '_' && i > 0 && i < len(w)-1 && w[i-1] != '_' {
			continue
		}
		return false
	}
	return true
}

// looksSecret reports whether raw could hold a secret or a location.
func looksSecret(raw string) bool {
	s := strings.ToLower(raw)
	if plain := unescaped(s); plain != s && (holdsSecret(plain) || strings.ContainsAny(plain, "@/\\")) {
		return true
	}
	return strings.ContainsAny(s, "@/\\") || holdsSecret(s)
}

// holdsSecret reports whether lower-case s holds a possible secret.
func holdsSecret(s string) bool {
	return assignsSecret(s) || proseHoldsSecret(s) || hasTokenPrefix(s) || hasTokenRun(s)
}

// isContractWord reports whether raw is a word of the contract between host and connector.
// Such a word holds no secret, whatever its length.
func isContractWord(raw Word) bool { return slices.Contains(abi.GenericReasons, abi.Reason(raw)) }

// tokenPrefixes are the beginnings of well-known vendors' tokens, in lower case.
var tokenPrefixes = []string{
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk_live_", "sk_test_", "rk_live_", "pk_live_", "sk-", "xoxb-", "xoxp-", "xoxa-",
	"xoxr-", "xoxs-", "xapp-", "akia", "asia", "aiza", "ya29.", "eyj", "shpat_", "sg.", "npm_", "dop_v1_", "whsec_", "-----begin",
}

// hasTokenPrefix reports whether a word of lower-case s starts like a token and is
// long enough to be one.
func hasTokenPrefix(s string) bool {
	const least = 8 // the random part of a token is no shorter
	for _, p := range tokenPrefixes {
		for from := 0; ; {
			i := strings.Index(s[from:], p)
			if i < 0 {
				break
			}
			i += from
			from = i + 1
			if i > 0 && (isLower(s[i-1]) || isDigit(s[i-1])) {
				continue // inside a word: "task-list" is no "sk-"
			}
			run := s[i+len(p):]
			if run = run[:tokenRun(run)]; len(run) >= least && !plainWords(run) {
				return true
			}
		}
	}
	return false
}

// longRun is the length from which a run of token characters is treated as a token.
// Some long codes of connectors are lost to this rule, which costs less than a leaked
// secret.
const longRun = 24

// hasTokenRun reports whether s holds a long run of token characters.
func hasTokenRun(s string) bool {
	for i := 0; i < len(s); {
		n := tokenRun(s[i:])
		if n >= longRun {
			return true
		}
		i += n + 1
	}
	return false
}

// tokenRun returns the number of token characters at the start of lower-case s.
func tokenRun(s string) int {
	n := 0
	for n < len(s) && (isLower(s[n]) || isDigit(s[n]) || strings.IndexByte("_-.+~%=", s[n]) >= 0) {
		n++
	}
	return n
}

// plainWords reports whether a run consists of words of letters, as codes do; the text
// after "sk-" in a token does not.
func plainWords(run string) bool {
	for i := range len(run) {
		if isDigit(run[i]) {
			return false
		}
	}
	return true
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// mostSaying bounds what is shown of a source's or a parser's own words, in bytes.
const mostSaying = 200

// unsayable replaces a word that could be a secret.
const unsayable = "[hidden]"

// Saying returns text of a source or a connector as one line of at most 200 bytes that may be
// shown to the owner as their words: without what could be a secret, and without what a
// terminal or a page would take for something else than text.
func Saying(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	for i, w := range words {
		if lower := strings.ToLower(w); hasTokenPrefix(lower) || assignsSecret(lower) || hasRandomRun(lower) {
			words[i] = unsayable
		}
	}
	line := strings.ToValidUTF8(strings.Join(words, " "), "")
	if proseHoldsSecret(strings.ToLower(line)) {
		return ""
	}
	if len(line) <= mostSaying {
		return line
	}
	const more = "…"
	n := mostSaying - len(more)
	for n > 0 && !utf8.RuneStart(line[n]) {
		n--
	}
	return strings.TrimSpace(line[:n]) + more
}

// ownWords begins a provider's own words in a connector's message, as package said of the SDK
// quotes them. The next quotation mark ends them: they have none themselves.
const ownWords = `; its own words: "`

// ProviderWords returns the first of a provider's own words that a message quotes, in the form in
// which an owner may be shown them; "" if it quotes none.
func ProviderWords(message string) string {
	_, words, _ := strings.Cut(message, ownWords)
	words, _, _ = strings.Cut(words, `"`)
	return Saying(words)
}

// withoutProviderWords returns a message without what it quotes: words that may be different each
// time, since they name a request or a moment.
func withoutProviderWords(message string) string {
	var kept strings.Builder
	for quotes := true; quotes; {
		var before string
		before, message, quotes = strings.Cut(message, ownWords)
		kept.WriteString(before)
		_, message, _ = strings.Cut(message, `"`)
	}
	return kept.String()
}

// SaidMark is Mark of what a run said in a message, whatever words of a provider it quotes.
func SaidMark(message string, rest ...string) string {
	return Mark(append(rest, withoutProviderWords(message))...)
}

// hasRandomRun reports whether lower-case s holds a long run of token characters that is more
// than words of letters.
func hasRandomRun(s string) bool {
	for i := 0; i < len(s); {
		n := tokenRun(s[i:])
		if n >= longRun && !plainWords(s[i:i+n]) {
			return true
		}
		i += n + 1
	}
	return false
}
