package api

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// LinkHeader is a list whose page names the address of the next one in its header Link
// (RFC 8288). request makes the request of a page, of the first one with at "".
func LinkHeader(request func(c *Client, at string) sdk.Request, items string) Pager {
	return Pager{items: items, request: request, next: func(c *Client, p Page) (string, error) {
		link := nextLink(p.Response.Header("Link"))
		if link != "" && !c.within(link) {
			return "", c.foreign()
		}
		return link, nil
	}}
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
	for one := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(one, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "rel") {
			continue
		}
		for word := range strings.FieldsSeq(strings.Trim(strings.TrimSpace(value), `"`)) {
			if strings.EqualFold(word, "next") {
				return true
			}
		}
	}
	return false
}
