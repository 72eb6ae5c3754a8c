package words

import (
	"strconv"
	"time"
)

// Every writes an interval in the largest unit that divides it: "every hour", "every 90 minutes".
func Every(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		one  string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		switch {
		case d == u.size:
			return "every " + u.one
		case d > u.size && d%u.size == 0:
			return "every " + strconv.FormatInt(int64(d/u.size), 10) + " " + u.one + "s"
		}
	}
	return "every " + d.String()
}
