package ratelimit

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Window is one window in an answer's headers.
type Window struct {
	Name             string        // "" for the one unnamed window
	Limit, Remaining int64         // Limit 0: not given
	Per              time.Duration // 0: not given
	Reset            time.Time
	Guessed          bool // the answer does not give its end, which is no later than Reset
}

// MaxWindows is the number of windows that one answer may name.
const MaxWindows = 8

const (
	headroom = 4                   // by which a caller may multiply a count
	longest  = 31 * 24 * time.Hour // a longer span is not credible
	epochMin = 1e8                 // a larger reset is a time, not a span
	epochMS  = 1e11                // a larger time is in milliseconds
)

// Windows returns the windows of an answer whose end is known or bounded. It skips a
// header that it cannot parse, since a header is a hint and never an error, and an end
// further away than believed. disbelieved reports that such an end belongs to an
// exhausted window.
func Windows(now time.Time, h http.Header, believed time.Duration) (out []Window, disbelieved bool) {
	for _, w := range reported(now, h) {
		if !w.Reset.IsZero() && w.Reset.Sub(now) > believed {
			disbelieved = disbelieved || w.Remaining == 0
			w.Reset = time.Time{}
		}
		switch {
		case !w.Reset.IsZero():
		case w.Per > 0 && w.Per <= longest:
			w.Reset, w.Guessed = now.Add(min(w.Per, believed)), true // the latest possible end
		default:
			continue
		}
		out = append(out, w)
	}
	return out, disbelieved
}

// Exhausted reports whether an answer contains an exhausted window.
func Exhausted(h http.Header) bool {
	for _, w := range reported(time.Time{}, h) {
		if w.Remaining == 0 {
			return true
		}
	}
	return false
}

// reported returns every window in an answer, with a zero reset if the answer does not
// give its end. The RateLimit field of the IETF draft comes first, then the first
// matching family, then headers of single providers.
func reported(now time.Time, h http.Header) []Window {
	out := readStructured(now, h)
	for i := 0; i < len(families) && len(out) == 0; i++ {
		for _, s := range spans {
			out = families[i].named(s.suffix, s.per).read(now, h, out)
		}
	}
	for i := range singular {
		out = singular[i].read(now, h, out)
	}
	for i := range pairs {
		out = pairs[i].read(now, h, out)
	}
	return out[:min(len(out), MaxWindows)]
}

// read appends the window in the headers of n, if they are present.
func (n *headerNames) read(now time.Time, h http.Header, out []Window) []Window {
	remaining, w, ok := count(h.Get(n.remaining))
	if !ok {
		return out
	}
	limit, per, _ := count(h.Get(n.limit))
	t := Window{Name: n.window, Limit: limit, Remaining: remaining, Per: max(n.per, w, per)}
	span, ok := resetIn(now, h, h.Get(n.resetAfter))
	if !ok {
		span, ok = resetIn(now, h, h.Get(n.reset))
	}
	if ok {
		t.Reset = now.Add(span)
	}
	return append(out, t)
}

// read appends a window for each number of the two lists. Such a window begins at a
// multiple of its length on the provider's clock.
func (p *usagePair) read(now time.Time, h http.Header, out []Window) []Window {
	limits, used := strings.Split(h.Get(p.limit), ","), strings.Split(h.Get(p.usage), ",")
	if len(limits) != len(p.per) || len(used) != len(p.per) {
		return out
	}
	theirs := providerTime(now, h)
	for i, per := range p.per {
		limit, _, ok := count(limits[i])
		n, _, told := count(used[i])
		if ok && told {
			end := theirs.Truncate(per).Add(per)
			out = append(out, Window{
				Name: p.limit + " " + per.String(), Limit: limit, Remaining: max(0, limit-n), Per: per, Reset: now.Add(end.Sub(theirs)),
			})
		}
	}
	return out
}

// count reads the first count of a header, rounding a decimal down, and the window in
// seconds that may follow it: `100`, `598.0`, `100;w=21600`, `10, 10;w=1`.
func count(text string) (n int64, per time.Duration, ok bool) {
	text, _, _ = strings.Cut(text, ",")
	text, rest, _ := strings.Cut(text, ";")
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f >= math.MaxInt64/headroom {
		return 0, 0, false
	}
	if w, windowed := strings.CutPrefix(strings.TrimSpace(rest), "w="); windowed {
		per = Seconds(whole(w))
	}
	return int64(f), per, true
}

// whole reads a number that is not negative; 0 for any other text.
func whole(text string) float64 {
	if f, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && f > 0 {
		return f
	}
	return 0 // also for what is not a number
}

// resetIn reads a reset: seconds from now, a span as Go writes it (`6m0s`), or a time
// in seconds, in milliseconds, as an HTTP date or in RFC 3339. A time is compared with
// the answer's own Date, because the provider's clock may differ from ours.
func resetIn(now time.Time, h http.Header, text string) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		if math.IsNaN(f) || f < 0 {
			return 0, false
		}
		if f > epochMS {
			f /= 1000
		}
		if f > epochMin {
			f -= float64(providerTime(now, h).UnixMilli()) / 1000
		}
		span := Seconds(f)
		return span, true
	}
	if span, err := time.ParseDuration(text); err == nil {
		return span, span >= 0
	}
	at, err := http.ParseTime(text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	span := max(0, at.Sub(providerTime(now, h)))
	return span, err == nil
}

// providerTime returns the time of an answer by its provider's clock, or now if it has
// no Date.
func providerTime(now time.Time, h http.Header) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}

// Seconds converts seconds to a span that cannot overflow.
func Seconds(s float64) time.Duration {
	return time.Duration(min(max(s, 0), 2*longest.Seconds()) * float64(time.Second))
}
