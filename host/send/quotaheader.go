package send

import (
	"math"
	"net/http"
	"slices"
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
	longest  = 31 * 24 * time.Hour // a reset further away is not believed
	epochMin = 1e9                 // a larger reset is a moment and not a span
	epochMS  = 1e12                // a larger one is in milliseconds
)

// spans are the suffixes by which some providers name their windows.
var spans = []struct {
	suffix string
	per    time.Duration
}{{"", 0}, {"-Second", time.Second}, {"-Minute", time.Minute}, {"-Hour", time.Hour}, {"-Day", 24 * time.Hour}}

// readQuota returns the windows that an answer tells of: the structured
// RateLimit field of the IETF httpapi draft, or the X-RateLimit-* and
// RateLimit-* families, also by the minute, hour and day. What does not parse
// is left out: a header is a hint and never an error.
func readQuota(now time.Time, h http.Header) []toldWindow {
	if out := readStructured(now, h); len(out) > 0 {
		return out
	}
	var out []toldWindow
	for _, family := range []string{"X-Ratelimit-", "Ratelimit-", "X-Rate-Limit-"} {
		for _, s := range spans {
			remaining, ok := whole(h.Get(family + "Remaining" + s.suffix))
			if !ok {
				continue
			}
			limit, _ := whole(h.Get(family + "Limit" + s.suffix))
			w := toldWindow{quotaHeader{s.suffix, limit, remaining, s.per}, time.Time{}}
			if span, ok := resetIn(now, h, h.Get(family+"Reset"+s.suffix)); ok {
				w.reset = now.Add(span)
			} else if s.per > 0 {
				w.reset = now.Add(s.per) // the window cannot be longer than that
			} else {
				continue
			}
			out = append(out, w)
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// readStructured reads `"default";r=50;t=30`, with q and w of RateLimit-Policy.
func readStructured(now time.Time, h http.Header) []toldWindow {
	policies := parameters(h.Values("Ratelimit-Policy"))
	var out []toldWindow
	for _, p := range parameters(h.Values("Ratelimit")) {
		remaining, ok := whole(p.values["r"])
		seconds, timed := whole(p.values["t"])
		span := seconds2span(float64(seconds))
		if !ok || !timed || span > longest || len(out) == maxTold {
			continue
		}
		w := toldWindow{quotaHeader{name: "policy " + p.name, remaining: remaining}, now.Add(span)}
		if i := slices.IndexFunc(policies, func(q item) bool { return q.name == p.name }); i >= 0 {
			w.limit, _ = whole(policies[i].values["q"])
			if per, ok := whole(policies[i].values["w"]); ok {
				w.per = seconds2span(float64(per))
			}
		}
		out = append(out, w)
	}
	return out
}

// item is one member of a structured list: a name and its parameters.
type item struct {
	name   string
	values map[string]string
}

func parameters(lines []string) []item {
	var out []item
	for _, line := range lines {
		for member := range strings.SplitSeq(line, ",") {
			name, rest, _ := strings.Cut(member, ";")
			it := item{strings.Trim(strings.TrimSpace(name), `"`), make(map[string]string)}
			for pair := range strings.SplitSeq(rest, ";") {
				key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
				it.values[key] = value
			}
			if out = append(out, it); len(out) >= maxTold {
				return out
			}
		}
	}
	return out
}

// resetIn reads a reset: seconds from now, or a moment in seconds or
// milliseconds. A moment is measured against the answer's own Date, because the
// provider's clock need not be ours.
func resetIn(now time.Time, h http.Header, text string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return 0, false
	}
	if f > epochMS {
		f /= 1000
	}
	if f > epochMin {
		theirs := now
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			theirs = date
		}
		f -= float64(theirs.UnixMilli()) / 1000
	}
	span := seconds2span(f)
	return span, span <= longest
}

// whole reads a count that is not negative.
func whole(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, err == nil && n >= 0 && n < math.MaxInt64/lowShare
}

// seconds2span turns seconds into a span that cannot overflow.
func seconds2span(s float64) time.Duration {
	return time.Duration(min(max(s, 0), 2*longest.Seconds()) * float64(time.Second))
}
