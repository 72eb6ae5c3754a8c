package field

import (
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
)

// instant is a moment with all digits of its fraction.
type instant struct {
	seconds  int64  // since 1970 UTC
	fraction string // without zeros at its end
}

// wholeSeconds is how many bytes of a date-time stand before its fraction.
const wholeSeconds = len("2006-01-02T15:04:05")

// readInstant reads a date or date-time as RFC 3339 has them.
func readInstant(t declaration.Type, s string) (instant, bool) {
	if t == declaration.Date {
		day, err := time.Parse(time.DateOnly, s)
		return instant{seconds: day.Unix()}, err == nil
	}
	if len(s) <= wholeSeconds {
		return instant{}, false
	}
	s = strings.ToUpper(s)
	head, rest, fraction := s[:wholeSeconds], s[wholeSeconds:], ""
	if rest[0] == '.' {
		digits := 1
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if digits == 1 {
			return instant{}, false
		}
		fraction, rest = strings.TrimRight(rest[1:digits], "0"), rest[digits:]
	}
	at, err := time.Parse(time.RFC3339, head+rest)
	return instant{at.Unix(), fraction}, err == nil
}

// Time returns the moment of a stored date or date-time, to the second.
func Time(t declaration.Type, value []byte) (time.Time, bool) {
	s, ok := String(value)
	if !ok || t != declaration.Date && t != declaration.DateTime {
		return time.Time{}, false
	}
	at, ok := readInstant(t, s)
	return time.Unix(at.seconds, 0).UTC(), ok
}
