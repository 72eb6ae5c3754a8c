package send

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// quotaHeader is one window as an answer's headers tell it.
type quotaHeader struct {
	name             string        // "" for the one unnamed window
	limit, remaining int64         // limit 0: not told
	per              time.Duration // 0: not told
}

const (
	maxTold  = 8                   // windows that one answer may name
	longest  = 31 * 24 * time.Hour // what is longer is no span
	epochMin = 1e8                 // a larger reset is a moment and not a span
	epochMS  = 1e11                // a larger one is in milliseconds
)

// readQuota returns the windows that an answer tells of and whose end is known
// or can be bounded. What does not parse is left out: a header is a hint and
// never an error. So is an end that is further away than believed; disbelieved
// says that the window is one that is used up.
func readQuota(now time.Time, h http.Header, believed time.Duration) (out []toldWindow, disbelieved bool) {
	for _, w := range toldBy(now, h) {
		if !w.reset.IsZero() && w.reset.Sub(now) > believed {
			disbelieved = disbelieved || w.remaining == 0
			w.reset = time.Time{}
		}
		switch {
		case !w.reset.IsZero():
		case w.per > 0 && w.per <= longest:
			w.reset, w.guessed = now.Add(min(w.per, believed)), true // it cannot be later than that
		default:
			continue
		}
		out = append(out, w)
	}
	return out, disbelieved
}

// nothingRemains reports whether an answer tells of a window that is used up.
func nothingRemains(h http.Header) bool {
	for _, w := range toldBy(time.Time{}, h) {
		if w.remaining == 0 {
			return true
		}
	}
	return false
}

// toldBy returns every window that an answer tells of, with a zero reset where
// it does not say when it ends. The RateLimit field of the IETF draft comes
// first, then the first of the families, then what single providers send.
func toldBy(now time.Time, h http.Header) []toldWindow {
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
	return out[:min(len(out), maxTold)]
}

// read appends the window that the headers of n tell of, when they do.
func (n *headerNames) read(now time.Time, h http.Header, out []toldWindow) []toldWindow {
	remaining, w, ok := count(h.Get(n.remaining))
	if !ok {
		return out
	}
	limit, per, _ := count(h.Get(n.limit))
	t := toldWindow{quotaHeader: quotaHeader{n.window, limit, remaining, max(n.per, w, per)}}
	span, ok := resetIn(now, h, h.Get(n.resetAfter))
	if !ok {
		span, ok = resetIn(now, h, h.Get(n.reset))
	}
	if ok {
		t.reset = now.Add(span)
	}
	return append(out, t)
}

// read appends a window for each number of the two lists. Such a window begins
// at a multiple of its length on the provider's clock.
func (p *usagePair) read(now time.Time, h http.Header, out []toldWindow) []toldWindow {
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
			window := quotaHeader{p.limit + " " + per.String(), limit, max(0, limit-n), per}
			out = append(out, toldWindow{quotaHeader: window, reset: now.Add(end.Sub(theirs))})
		}
	}
	return out
}

// count reads the first count of a header, also a decimal one, which is rounded
// down, and the window in seconds that may follow it: `100`, `598.0`,
// `100;w=21600`, `10, 10;w=1`.
func count(text string) (n int64, per time.Duration, ok bool) {
	text, _, _ = strings.Cut(text, ",")
	text, rest, _ := strings.Cut(text, ";")
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f >= math.MaxInt64/lowShare {
		return 0, 0, false
	}
	if w, windowed := strings.CutPrefix(strings.TrimSpace(rest), "w="); windowed {
		per = seconds2span(whole(w))
	}
	return int64(f), per, true
}

// whole reads a number that is not negative; 0 for what is none.
func whole(text string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return 0
	}
	return f
}

// resetIn reads a reset: seconds from now, a span as Go writes it (`6m0s`), or
// a moment in seconds, in milliseconds, as an HTTP date or by RFC 3339. A
// moment is measured against the answer's own Date, because the provider's
// clock need not be ours.
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
		span := seconds2span(f)
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

// providerTime is the moment of an answer on its provider's clock, or now when
// it does not say.
func providerTime(now time.Time, h http.Header) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}

// seconds2span turns seconds into a span that cannot overflow.
func seconds2span(s float64) time.Duration {
	return time.Duration(min(max(s, 0), 2*longest.Seconds()) * float64(time.Second))
}
