package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// longWait is the wait from which an owner is told of it.
const longWait = 2 * time.Second

// pace says how fast the run asks its provider, and what it waits for: "52
// requests, 1.0 a second (ceiling 4.0), waiting 12 s: the service asked for it".
// "" for a run that has sent nothing. The rate is left out when pacing is off
// (RT-27.2).
func pace(u run.Update) string {
	if u.Requests.Sent == 0 && u.Rate == nil {
		return ""
	}
	parts := []string{output.Plural(u.Requests.Sent, "request")}
	if u.Rate != nil {
		parts = append(parts, fmt.Sprintf("%s (ceiling %s)", perSecond(u.Rate.EffectiveRatePerMin), perSecond(u.Rate.CeilingRatePerMin)))
	}
	if u.Requests.Throttled > 0 {
		parts = append(parts, output.Count(u.Requests.Throttled)+" throttled")
	}
	if left := u.WaitUntil.Sub(u.Now); left >= longWait {
		why := "to keep the pace"
		if u.WaitAsked {
			why = "the service asked for it"
		}
		parts = append(parts, fmt.Sprintf("waiting %d s: %s", int(left.Round(time.Second).Seconds()), why))
	}
	return strings.Join(parts, ", ")
}

// perSecond writes a rate for people: slow ones by the minute.
func perSecond(perMinute int64) string {
	if perMinute < 60 {
		return fmt.Sprintf("%d a minute", perMinute)
	}
	return fmt.Sprintf("%.1f a second", float64(perMinute)/60)
}
