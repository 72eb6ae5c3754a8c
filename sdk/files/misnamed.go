package files

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Misnamed reports whether a path that cannot be read has a byte that is not of UTF-8, which the host writes as a backslash, an
// x and two digits.
func Misnamed(p string) bool {
	for {
		_, after, found := strings.Cut(p, `\x`)
		if !found {
			return !utf8.ValidString(p)
		}
		if n, err := strconv.ParseUint(after[:min(2, len(after))], 16, 8); err == nil && n >= utf8.RuneSelf {
			return true
		}
		p = after
	}
}
