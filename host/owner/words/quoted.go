package words

import (
	"strings"
)

// Quoted writes a word as a shell takes it, in quotes where it needs them.
func Quoted(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("/._-~+,:@%=", r) && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
