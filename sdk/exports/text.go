package exports

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// forms are the ways in which exports spell times.
var forms = []string{time.RFC3339, time.RubyDate, "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05.999999999-0700"}

// Time returns a time as exports spell it: by RFC 3339, as "Wed Nov 09 12:34:56 +0000
// 2022" or "2016-01-01 00:00:00 +0000", or as a number of units since 1970, below zero before
// it, whose text may stand in quotes. It is false for the zero time, which programs write for none, and for years
// that have not four digits.
func Time(v jsonvalue.Value, unitsASecond int64) (time.Time, bool) {
	text := v.View()
	if v.Kind() == jsonvalue.Number {
		text = string(v.Raw())
	}
	for _, form := range forms {
		if at, err := time.Parse(form, text); err == nil {
			at = at.UTC()
			return at, isTime(at)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	const least, most = -62135596800, 253402300799 // from the year 1 to the end of 9999
	if err != nil || n/unitsASecond < least || n/unitsASecond > most {
		return time.Time{}, false
	}
	at := time.Unix(n/unitsASecond, n%unitsASecond*(1e9/unitsASecond)).UTC()
	return at, isTime(at)
}

// isTime reports whether a time in UTC can stand in a record: the first second of the year 1 is what programs
// write for no time.
func isTime(at time.Time) bool {
	const lastYear = 9999
	return !at.IsZero() && at.Year() > 0 && at.Year() <= lastYear
}

// Parameter returns the named parameter of an address whose path ends as given, decoded.
func Parameter(address, path, name string) (string, bool) {
	_, query, ok := strings.Cut(address, path+"?")
	if !ok {
		return "", false
	}
	query, _, _ = strings.Cut(query, "#")
	for pair := range strings.SplitSeq(query, "&") {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return unescape(strings.ReplaceAll(value, "+", " ")), true
		}
	}
	return "", false
}

// unescape decodes the bytes that a query has as a percent sign and two digits.
func unescape(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(n))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
