package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// maxPages bounds one list of one run: 20 000 rows of 100 a page.
const maxPages = 200

// pager follows the Link header of a list.
type pager struct {
	c     *client
	seen  map[string]bool
	pages int
}

// next returns the page after resp, "" when there is none. A page that was read before,
// or one outside the API, is an error.
func (p *pager) next(resp *sdk.Response) (string, error) {
	url := nextLink(resp.Header("Link"))
	switch {
	case url == "":
		return "", nil
	case originOf(url) != p.c.origin || !isAddress(url):
		return "", &sdk.Failure{Code: codePaging, Message: "GitHub's link to the next page leads outside its API"}
	case p.seen[url]:
		return "", &sdk.Failure{Code: codePaging, Message: "GitHub's link to the next page leads to one that was already read", Retryable: true}
	}
	return url, nil
}

// visit notes that url is read, and reports whether the cap still allows it.
func (p *pager) visit(url string) bool {
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	p.seen[url] = true
	p.pages++
	return p.pages <= maxPages
}

// isAddress accepts the characters of RFC 3986, with a percent sign only before two hex
// digits.
func isAddress(url string) bool {
	hex := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
	for i := range len(url) {
		switch c := url[i]; {
		case c <= ' ' || c > '~' || strings.IndexByte("\"<>\\^`{|}#", c) >= 0:
			return false
		case c == '%' && (i+2 >= len(url) || !hex(url[i+1]) || !hex(url[i+2])):
			return false
		}
	}
	return len(url) <= maxAddress
}

// maxAddress is how long an address may be.
const maxAddress = 4 << 10

// nextLink returns the target of rel="next" (RFC 8288), "" without one. A comma
// or semicolon within < and > belongs to the target.
func nextLink(header string) string {
	for header != "" {
		open := strings.IndexByte(header, '<')
		if open < 0 {
			return ""
		}
		shut := strings.IndexByte(header[open:], '>')
		if shut < 0 {
			return ""
		}
		target, rest := header[open+1:open+shut], header[open+shut+1:]
		end := paramsEnd(rest)
		if relNext(rest[:end]) {
			return target
		}
		header = rest[end:]
	}
	return ""
}

// paramsEnd returns where the parameters of one link end: at a comma outside of
// quotes.
func paramsEnd(s string) int {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			return i
		}
	}
	return len(s)
}

func relNext(params string) bool {
	for params != "" {
		var one string
		one, params, _ = strings.Cut(params, ";")
		name, value, ok := strings.Cut(one, "=")
		if !ok || !strings.EqualFold(strings.TrimSpace(name), "rel") {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		for value != "" {
			var word string
			word, value, _ = strings.Cut(value, " ")
			if strings.EqualFold(word, "next") {
				return true
			}
		}
	}
	return false
}
