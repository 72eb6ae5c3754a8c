package ui

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	ownerwords "github.com/pdpp-host/pdpp-host/host/owner/words"
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

// Or returns text, or other where there is none.
func Or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// Safe is a stranger's text without the characters that move or hide others (OC-08).
func Safe(text string) string { return ownerwords.Clean(text) }

// Bounded is the beginning of what somebody looks for, in at most so many bytes. Every store
// takes it: PostgreSQL holds neither half a character nor a NUL.
func Bounded(text string, most int) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), most)], "\x00", ""), "")
}

// refusal is the error that a form shows.
func refusal(err error) (e *abi.Error) {
	if !errors.As(err, &e) {
		e = &abi.Error{}
	}
	return e
}

// The parts of a browser's name that people know, in the order in which they are looked for:
// most browsers also name those that they are like.
var (
	browsers = []struct{ mark, name string }{{"Firefox/", "Firefox"}, {"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	systems  = []struct{ mark, name string }{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// Agent is a browser's name for itself in words that people know; as it is where none fits.
func Agent(text string) string {
	if text == "" {
		return words.BrowserUnnamed
	}
	for _, b := range browsers {
		if !strings.Contains(text, b.mark) {
			continue
		}
		for _, s := range systems {
			if strings.Contains(text, s.mark) {
				return b.name + ", " + s.name
			}
		}
		return b.name
	}
	return text
}
