package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// mostDays bounds a span of time in days.
const mostDays = 36_500

// Span reads how long something lasts: in days, as in 90d, or as in 12h30m.
func Span(flag, s string) (time.Duration, error) {
	if days, whole := strings.CutSuffix(s, "d"); whole {
		if n, err := strconv.ParseUint(days, 10, 32); err == nil && n <= mostDays {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d, nil
	}
	return 0, Usage(fmt.Sprintf("%s %q is no span of time", flag, s), "write 90d for ninety days, or 12h")
}
