package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// current is the value of aria-current.
func current(is bool) string {
	if is {
		return "page"
	}
	return "false"
}

// Sentence begins text with a capital letter and ends it with a full stop. An operation's
// messages have neither. Text that begins with a command stays as it is.
func Sentence(text string) string {
	if text == "" || strings.HasPrefix(text, "`") {
		return text
	}
	first, n := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[n:]
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// parts cuts text at its backquotes: what is between two of them has an odd index.
func parts(text string) []string { return strings.Split(text, "`") }
