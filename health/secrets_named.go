package health

import (
	"slices"
	"strings"
)

// This file recognizes secrets by their names. All functions expect lower case.

// longNames are names of secrets anywhere in a word; shortNames only at its end:
// "monkey" is taken for a key, "mapping" not for a pin.
var (
	longNames  = []string{"token", "password", "passwd", "passphrase", "passcode", "secret", "cookie", "credential", "authorization", "session"}
	shortNames = []string{"key", "pwd", "pass", "pw", "auth", "otp", "pin", "sid", "jwt", "sig"}
)

// outcomeWords end a statement about a name; such a statement holds no value.
var outcomeWords = []string{
	"failed", "failure", "expired", "invalid", "missing", "required", "rejected", "refused", "revoked", "denied", "error", "unavailable", "unknown",
	"timeout", "needed", "changed", "wrong", "absent", "blocked", "locked", "ended", "lost", "reset",
}

// isSecretName reports whether a word names secrets, in the singular or the plural, or
// their ids.
func isSecretName(word string) bool {
	for _, n := range longNames {
		if strings.Contains(word, n) {
			return true
		}
	}
	word = strings.TrimRight(word, "0123456789")
	for _, w := range [...]string{word, strings.TrimSuffix(word, "s"), strings.TrimSuffix(word, "id"), strings.TrimSuffix(word, "ids")} {
		for _, n := range shortNames {
			if strings.HasSuffix(w, n) {
				return true
			}
		}
	}
	return false
}

// signs replaces other spellings of the signs between a name and its value.
var signs = strings.NewReplacer("＝", "=", "：", ":", "→", ">")

// assignsSecret reports whether s holds name=value, name: value or name->value for a
// secret's name, a value after any name that does not look like a word of a code, or a
// bearer or basic value.
func assignsSecret(s string) bool {
	s = signs.Replace(s)
	for i := range len(s) {
		if s[i] != '=' && s[i] != ':' && s[i] != '>' || !strings.ContainsFunc(s[i+1:], isWordRune) {
			continue
		}
		if s[i] == '=' && slices.ContainsFunc(words(value(s[i+1:])), func(w string) bool { return !wordOfCode(w) }) {
			return true
		}
		parts := words(lastRun(s[:i]))
		told := s[i] != '=' && len(parts) > 0 && slices.Contains(outcomeWords, parts[len(parts)-1])
		if !told && slices.ContainsFunc(parts, isSecretName) {
			return true
		}
	}
	for _, scheme := range []string{"bearer ", "basic ", "bearer+", "bearer%20"} {
		if _, value, ok := strings.Cut(s, scheme); ok && value != "" {
			return true
		}
	}
	return false
}

// proseHoldsSecret reports whether s is prose in which a secret's name is followed by a
// word that looks like a value. A text that is already a code is not prose.
func proseHoldsSecret(s string) bool {
	if !strings.ContainsFunc(s, func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune("_-.", r) }) {
		return false
	}
	named := false
	for _, w := range words(s) {
		if named && !wordOfCode(w) {
			return true
		}
		named = named || isSecretName(w)
	}
	return false
}

// words returns the runs of letters and digits in s.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !isWordRune(r) })
}

func isWordRune(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }

// lastRun returns the last word of s, including words joined to it, without trailing
// characters that are not letters.
func lastRun(s string) string {
	s = strings.TrimRightFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
	from := strings.LastIndexFunc(s, func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune("_-.", r) })
	return s[from+1:]
}

// value returns the beginning of s up to the first break.
func value(s string) string {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !isWordRune(r) })
	if i := strings.IndexAny(s, " \t\r\n&;,"); i >= 0 {
		return s[:i]
	}
	return s
}

// wordOfCode reports whether codes and prose contain such a word: letters, a number
// that counts or numbers something, or a short mix, as in "v2".
func wordOfCode(w string) bool {
	digits := 0
	for i := range len(w) {
		if isDigit(w[i]) {
			digits++
		}
	}
	return digits == 0 || digits == len(w) && digits <= 5 || len(w) <= 3
}

// unescaped returns s with its percent escapes decoded, also if the percent signs are
// escaped themselves.
func unescaped(s string) string {
	for range 2 {
		if !strings.Contains(s, "%") {
			return s
		}
		b := make([]byte, 0, len(s))
		for i := 0; i < len(s); i++ {
			if s[i] == '%' && i+2 < len(s) {
				if hi, lo := hexDigit(s[i+1]), hexDigit(s[i+2]); hi >= 0 && lo >= 0 {
					b = append(b, byte(hi<<4|lo)) //nolint:gosec // two hex digits
					i += 2
					continue
				}
			}
			b = append(b, s[i])
		}
		s = strings.ToLower(string(b))
	}
	return s
}

// hexDigit returns the value of a lower-case hex digit, -1 for any other character.
func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}
