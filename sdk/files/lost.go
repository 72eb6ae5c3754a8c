package files

import "strings"

// A program that is stopped while it writes, a disk that is full and a failed copy leave a file of zeros, or an empty one. Neither is
// what somebody wrote, so it takes the place of nothing that was collected before, and deletes nothing.

// blank is a mark in the sum of a document without text, which no Sum has.
const blank = 1 << 48

// Lost reports whether a file lost its text. Such a text has zero bytes, or is blank while the record under the key has another
// one. The sum is that of what its record is made of. Give what Lost returns of it, which says as well whether the text is blank,
// to Take or News. The thing stays in the set, as its file is there.
func (s *Set) Lost(key, text string, sum int64) (of int64, lost bool) {
	one := s.items[key]
	known := one != nil && !one.gone
	of = sum
	if isBlank(text) {
		of |= blank
		lost = known && one.sum&blank == 0 && one.sum != sum // an earlier version did not mark it
	}
	lost = lost || HasZeros(text)
	if lost && known {
		one.seen = true
	}
	return of, lost
}

// LostAll is Lost for a file with many things, whose keys begin with the prefix. KeepIf then has to keep them.
func (s *Set) LostAll(prefix, text string) bool {
	if HasZeros(text) {
		return true
	}
	if !isBlank(text) {
		return false
	}
	for key, one := range s.items {
		if !one.gone && strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// HasZeros reports whether a text has zero bytes, which no program writes into one.
func HasZeros(text string) bool { return strings.IndexByte(text, 0) >= 0 }

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }
