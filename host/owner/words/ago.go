package words

import (
	"strconv"
	"time"
)

// Ago says how long ago something was, in its largest unit: 2 minutes ago.
func Ago(at, now time.Time) string {
	d := now.Sub(at)
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := int64(d / unit.of); {
		case n == 1:
			return "1 " + unit.name + " ago"
		case n > 1:
			return strconv.FormatInt(n, 10) + " " + unit.name + "s ago"
		}
	}
	return "just now"
}
