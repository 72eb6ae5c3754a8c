package api

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Limits of what a device says in words, in bytes. None is reached by a collector
// that works.
const (
	maxID    = 200
	maxWord  = 64
	maxLine  = 200
	maxLabel = 100
	maxText  = 2 << 10 // four times what a run keeps of one text
)

// isID reports whether s can name something: short, printable ASCII, no space.
func isID(s string) bool {
	return s != "" && len(s) <= maxID && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// isWord reports whether s is a word of a vocabulary: lower-case letters, digits
// and the signs _ . - between them.
func isWord(s string) bool {
	return s != "" && len(s) <= maxWord && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
	})
}

// isLine reports whether s is at most limit bytes of text on one line. It may be
// empty.
func isLine(s string, limit int) bool {
	return len(s) <= limit && !strings.ContainsFunc(s, unicode.IsControl)
}

// isCount reports whether a number counts something, and is exact in JSON.
func isCount(numbers ...int64) bool {
	return !slices.ContainsFunc(numbers, func(n int64) bool { return n < 0 || n > 1<<53 })
}

// allNames reports whether each can be a stream's name.
func allNames(list ...string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return s == "" || !isLine(s, maxID) })
}

// declares reports whether a manifest has the stream.
func declares(m *abi.Manifest, stream string) bool { return m.Stream(stream) != nil }

func sizeText(n int64) string {
	if n%(1<<20) == 0 {
		return strconv.FormatInt(n>>20, 10) + " MiB"
	}
	return strconv.FormatInt(n>>10, 10) + " KiB"
}

// isText reports whether each text is short enough. The text comes from a connector: a device
// must be able to be done with a run whatever its connector said in it.
func isText(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return len(s) > maxText })
}

// quoted shows a name on one line.
func quoted(s string) string { return strconv.Quote(s) }
