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
	cookies, err := o.cookies(ctx, r.Names)
	return &abi.BrowserAnswer{Cookies: cookies}, nil, err
}

// cookies says which cookies of these names there are at hosts of the connector's.
func (o *Ops) cookies(ctx context.Context, names []string) ([]abi.BrowserCookie, error) {
	got, err := proto.StorageGetCookies{}.Call(o.options.Line.On(ctx, ""))
	if err != nil {
		return nil, err
	}
	cookies := make([]abi.BrowserCookie, 0, len(names))
	for _, name := range names {
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
		cookies = append(cookies, cookie)
	}
	return cookies, nil
}
