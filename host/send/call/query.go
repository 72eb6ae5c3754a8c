package call

import (
	"iter"
	"net/url"
	"strings"
)

// parameter is one parameter of a query or a form. Name and value are unescaped; a
// text with an invalid escape stays as it is.
type parameter struct {
	name, value string
	raw         string // the original text
	before      string // the separator before it
}

// parametersOf yields the parameters of a query or a form. Some services separate them
// with a semicolon (HTML 4.01, B.2.2), others treat the text after one as content.
// Here it is a parameter, so that nothing can hide behind it.
func parametersOf(raw string) iter.Seq[parameter] {
	return func(yield func(parameter) bool) {
		before := ""
		for raw != "" || before != "" {
			p := parameter{raw: raw, before: before}
			raw, before = "", ""
			if i := strings.IndexAny(p.raw, "&;"); i >= 0 {
				p.raw, before, raw = p.raw[:i], p.raw[i:i+1], p.raw[i+1:]
			}
			name, value, _ := strings.Cut(p.raw, "=")
			p.name, p.value = unescaped(name), unescaped(value)
			if !yield(p) {
				return
			}
		}
	}
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// sameName reports whether a service may read two names as one: with another case, or
// as a list such as key[].
func sameName(a, b string) bool {
	return a == b || normalizedName(a) != "" && normalizedName(a) == normalizedName(b)
}

// withQuery adds one parameter to a query or a form. The others keep their order and
// their spelling, which may be signed; a parameter of the same name, which a redirect
// may have repeated, is removed.
func withQuery(raw, key, value string) string {
	rest := withoutQuery(raw, key)
	if rest != "" {
		rest += "&"
	}
	return rest + url.QueryEscape(key) + "=" + url.QueryEscape(value)
}

func withoutQuery(raw, key string) string {
	var kept strings.Builder
	first := true
	for p := range parametersOf(raw) {
		if sameName(p.name, key) {
			continue
		}
		if !first {
			kept.WriteString(p.before)
		}
		kept.WriteString(p.raw)
		first = false
	}
	return kept.String()
}
