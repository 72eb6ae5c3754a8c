package words

import "strconv"

// Units of time, and the moments without one.
const (
	Year   = "year"
	Month  = "month"
	Day    = "day"
	Hour   = "hour"
	Minute = "minute"
	Now    = "just now"
	Never  = "never"

	RightNow = "now"
)

// Distance says how far a moment is from now.
func Distance(n int, unit string, ahead bool) string {
	text := strconv.Itoa(n) + " " + unit
	if n != 1 {
		text += "s"
	}
	if ahead {
		return "in " + text
	}
	return text + " ago"
}
