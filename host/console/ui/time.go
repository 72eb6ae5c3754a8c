package ui

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/words"
)

func exact(at time.Time) string { return at.UTC().Format("2 January 2006, 15:04:05 UTC") }

// Distance says how far at is from now, in its largest whole unit.
func Distance(at, now time.Time) string {
	d := now.Sub(at)
	ahead := d < 0
	if ahead {
		d = -d
	}
	for _, u := range []struct {
		size time.Duration
		one  string
	}{
		{365 * 24 * time.Hour, words.Year}, {30 * 24 * time.Hour, words.Month}, {24 * time.Hour, words.Day}, {time.Hour, words.Hour}, {time.Minute, words.Minute},
	} {
		if n := int(d / u.size); n > 0 {
			return words.Distance(n, u.one, ahead)
		}
	}
	return words.Now
}

// Grouped writes a number with a thin space between thousands.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return sign + s
}
