package op

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// session says which cookies there are, and no value of any.
func (o *Ops) session(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	got, err := proto.StorageGetCookies{}.Call(o.options.Line.On(ctx, ""))
	if err != nil {
		return nil, nil, err
	}
	a := &abi.BrowserAnswer{Cookies: []abi.BrowserCookie{}}
	for _, name := range r.Names {
		i := slices.IndexFunc(got.Cookies, func(c *proto.NetworkCookie) bool {
			return c.Name == name && o.options.Roles.Cookies(c.Domain)
		})
		cookie := abi.BrowserCookie{Name: name}
		if i >= 0 {
			c := got.Cookies[i]
			cookie.Present, cookie.Host = true, strings.TrimPrefix(c.Domain, ".")
			if !c.Session {
				cookie.Expires = time.Unix(int64(c.Expires), 0).UTC().Format(time.RFC3339)
			}
		}
		a.Cookies = append(a.Cookies, cookie)
	}
	return a, nil, nil
}
