package api

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// LinkHeader is a list whose page names the address of the next one in its header Link
// (RFC 8288). request makes the request of a page, of the first one with at "". The last page
// has no such link: a provider that sends none at all has one page. A page without it that has all
// the rows that its address asks for, in per_page or page_size, is not believed to be the last: the
// next one is asked for by its number, in page, until one comes with fewer. That costs a list whose
// last page is full one request.
func LinkHeader(request func(c *Client, at string) sdk.Request, items string) Pager {
	return Pager{items: items, request: request, linked: true, next: func(c *Client, p Page) (string, error) {
		switch link := nextLink(p.Response.Header("Link")); {
		case link == "":
			return p.following(), nil
		case !c.within(link):
			return "", c.foreign()
		default:
			return link, nil
		}
	}}
}

// following is the address of the page behind a full one, by its number; "" if the page is not as
// long as its address asks for, or the address does not say how long.
func (p Page) following() string {
	base, query, _ := strings.Cut(p.url, "?")
	number, full := 1, false
	var rest []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(value)
		switch name {
		case "page":
			if err != nil {
				return ""
			}
			number = n
			continue
		case "per_page", "page_size":
			full = err == nil && n > 0 && p.Items.Len() >= n
		}
		rest = append(rest, pair)
	}
	if !full {
		return ""
	}
	return base + "?" + strings.Join(append(rest, "page="+strconv.Itoa(number+1)), "&")
}

// nextLink returns the target of rel="next", "" without one. A comma or semicolon within
// < and > belongs to the target.
func nextLink(header string) string {
	for {
		_, rest, found := strings.Cut(header, "<")
		if !found {
			return ""
		}
		target, params, found := strings.Cut(rest, ">")
		if !found {
			return ""
		}
		end := paramsEnd(params)
		if relNext(params[:end]) {
			return target
		}
		header = params[end:]
	}
}

// paramsEnd returns where the parameters of one link end: at a comma outside of quotes.
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
	for _, one := range strings.Split(params, ";") {
		name, value, _ := strings.Cut(one, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "rel") {
			continue
		}
		for _, word := range strings.Fields(strings.Trim(strings.TrimSpace(value), `"`)) {
			if strings.EqualFold(word, "next") {
				return true
			}
		}
	}
	return false
}

// maxAddress is how long a link may be.
const maxAddress = 4 << 10

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

// Escape writes text as a value of a query.
func Escape(text string) string {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(text)+16)
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~' {
			out = append(out, c)
			continue
		}
		out = append(out, '%', hex[c>>4], hex[c&15])
	}
	return string(out)
}
