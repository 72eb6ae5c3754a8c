package send

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// readStructured reads the RateLimit field of draft-ietf-httpapi-ratelimit-headers:
//
//	RateLimit: "burst";r=50;t=30            from version 8 on
//	RateLimit: limit=100, remaining=50, reset=30   version 7
//
// with the sizes of RateLimit-Policy, `"burst";q=100;w=60` or `100;w=60`.
func readStructured(now time.Time, h http.Header) []toldWindow {
	lines := h.Values("Ratelimit")
	if len(lines) == 0 {
		return nil
	}
	policies := parameters(h.Values("Ratelimit-Policy"))
	members := parameters(lines)
	if w, ok := dictionary(now, h, members, policies); ok {
		return []toldWindow{w}
	}
	var out []toldWindow
	for _, m := range members {
		remaining, _, ok := count(m.values["r"])
		if !ok {
			continue
		}
		w := toldWindow{quotaHeader: quotaHeader{name: "policy " + m.name, remaining: remaining}}
		if i := slices.IndexFunc(policies, func(p item) bool { return p.name == m.name }); i >= 0 {
			w.limit, _, _ = count(policies[i].values["q"])
			w.per = seconds2span(whole(policies[i].values["w"]))
		}
		if span, ok := resetIn(now, h, m.values["t"]); ok {
			w.reset = now.Add(span)
		}
		out = append(out, w)
	}
	return out
}

// dictionary reads the form of version 7, whose members are the values.
func dictionary(now time.Time, h http.Header, members, policies []item) (toldWindow, bool) {
	values := make(map[string]string, len(members))
	for _, m := range members {
		key, value, _ := strings.Cut(m.name, "=")
		values[key] = value
	}
	remaining, _, ok := count(values["remaining"])
	if !ok {
		return toldWindow{}, false
	}
	w := toldWindow{quotaHeader: quotaHeader{name: "policy", remaining: remaining}}
	w.limit, _, _ = count(values["limit"])
	for _, p := range policies {
		if n, _, ok := count(p.name); ok && n == w.limit {
			w.per = seconds2span(whole(p.values["w"]))
		}
	}
	if span, ok := resetIn(now, h, values["reset"]); ok {
		w.reset = now.Add(span)
	}
	return w, true
}

// item is one member of a structured list: a name and its parameters.
type item struct {
	name   string
	values map[string]string
}

// parameters reads the members of a list, at most maxTold of them.
func parameters(lines []string) []item {
	var out []item
	for _, line := range lines {
		for member := range cutOutsideQuotes(line, ',') {
			it := item{values: make(map[string]string)}
			for part := range cutOutsideQuotes(member, ';') {
				part = strings.TrimSpace(part)
				if it.name == "" {
					it.name = strings.Trim(part, `"`)
					continue
				}
				key, value, _ := strings.Cut(part, "=")
				it.values[key] = value
			}
			if out = append(out, it); len(out) >= maxTold {
				return out
			}
		}
	}
	return out
}

// cutOutsideQuotes yields the parts of text between separators that stand in no
// string (RFC 9651, 3.3.3).
func cutOutsideQuotes(text string, separator byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		began, quoted := 0, false
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case c == separator && !quoted:
				if !yield(text[began:i]) {
					return
				}
				began = i + 1
			}
		}
		yield(text[began:])
	}
}
