package swar

import "unsafe"

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load reads eight bytes as one word. Their order in the word does not matter: callers
// only ask whether any byte of the word stops them.
func load(p *byte) uint64 { return *(*uint64)(unsafe.Pointer(p)) }

// PlainPrefix returns how many leading bytes of s need no escape in a JSON string and
// are ASCII: no quote, no backslash, nothing below space, nothing above DEL.
func PlainPrefix(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if stops(load(&s[i]))|load(&s[i])&highs != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			return i
		}
	}
	return i
}

// QuotedPrefix is PlainPrefix that also accepts bytes above DEL, and reports whether it
// met any.
func QuotedPrefix(s []byte) (n int, ascii bool) {
	i := 0
	seen := uint64(0)
	for ; i+8 <= len(s); i += 8 {
		w := load(&s[i])
		if stops(w) != 0 {
			break
		}
		seen |= w
	}
	for ; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			break
		}
		seen |= uint64(c)
	}
	return i, seen&highs == 0 && seen&0x80 == 0
}

// stops is non-zero exactly when a byte of w is a quote, a backslash or below space.
// The bit that is set identifies no byte, since a borrow can reach a neighbour, so the
// caller looks again byte by byte.
func stops(w uint64) uint64 {
	quote := w ^ '"'*ones
	slash := w ^ '\\'*ones
	control := (w - ' '*ones) &^ w
	return ((quote-ones)&^quote | (slash-ones)&^slash | control) & highs
}

// HasNewline reports whether s contains a line feed.
func HasNewline(s []byte) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := load(&s[i]) ^ '\n'*ones
		if (w-ones)&^w&highs != 0 {
			return true
		}
	}
	for ; i < len(s); i++ {
		if s[i] == '\n' {
			return true
		}
	}
	return false
}
