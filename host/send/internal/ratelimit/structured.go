package ratelimit

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
func readStructured(now time.Time, h http.Header) []Window {
	lines := h.Values("Ratelimit")
	if len(lines) == 0 {
		return nil
	}
	policies := parameters(h.Values("Ratelimit-Policy"))
	members := parameters(lines)
	if w, ok := dictionary(now, h, members, policies); ok {
		return []Window{w}
	}
	var out []Window
	for _, m := range members {
		remaining, _, ok := count(m.values["r"])
		if !ok {
			continue
		}
		w := Window{Name: "policy " + m.name, Remaining: remaining}
		if i := slices.IndexFunc(policies, func(p item) bool { return p.name == m.name }); i >= 0 {
			w.Limit, _, _ = count(policies[i].values["q"])
			w.Per = Seconds(whole(policies[i].values["w"]))
		}
		if span, ok := resetIn(now, h, m.values["t"]); ok {
			w.Reset = now.Add(span)
		}
		out = append(out, w)
	}
	return out
}

// dictionary reads the form of version 7, in which the members are the values.
func dictionary(now time.Time, h http.Header, members, policies []item) (Window, bool) {
	values := make(map[string]string, len(members))
	for _, m := range members {
		key, value, _ := strings.Cut(m.name, "=")
		values[key] = value
	}
	remaining, _, ok := count(values["remaining"])
	if !ok {
		return Window{}, false
	}
	w := Window{Name: "policy", Remaining: remaining}
	w.Limit, _, _ = count(values["limit"])
	for _, p := range policies {
		if n, _, ok := count(p.name); ok && n == w.Limit {
			w.Per = Seconds(whole(p.values["w"]))
		}
	}
	if span, ok := resetIn(now, h, values["reset"]); ok {
		w.Reset = now.Add(span)
	}
	return w, true
}

// item is one member of a structured list: a name and its parameters.
type item struct {
	name   string
	values map[string]string
}

// parameters reads the members of a list, at most MaxWindows of them.
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
			if out = append(out, it); len(out) >= MaxWindows {
				return out
			}
		}
	}
	return out
}

// cutOutsideQuotes yields the parts of text between separators that are outside
// strings (RFC 9651, 3.3.3).
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
