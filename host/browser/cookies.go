package browser

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Cookies returns those that the browser would send to an address of the connector's provider,
// which starts it; none between `sign_in.begin` and `sign_in.end`, and none for other hosts.
func (b *Binding) Cookies(ctx context.Context, u *url.URL) (sent []*http.Cookie, err error) {
	_, err = b.lend(u, func() error {
		all, err := b.cookies(ctx)
		if err != nil {
			return err
		}
		b.hideAll(all) // a provider may show them in an answer
		for _, c := range all {
			if goesTo(c, u) {
				sent = append(sent, &http.Cookie{Name: c.Name, Value: c.Value}) //nolint:gosec // it is sent, and set nowhere
			}
		}
		return nil
	})
	return sent, err
}

// SetCookies has the browser keep cookies of an answer to a request beside it, as if a page had asked
// for it. false: the address is not the provider's. Between `sign_in.begin` and `sign_in.end` none is
// kept: what the connector asks for by itself has no part in that.
func (b *Binding) SetCookies(ctx context.Context, u *url.URL, cookies []*http.Cookie) (kept bool, err error) {
	return b.lend(u, func() error {
		for _, c := range cookies {
			if p := b.settable(c, u); p != nil {
				// One that the browser refuses is left out, as one of a page.
				_ = proto.StorageSetCookies{Cookies: []*proto.NetworkCookieParam{p}}.Call(b.browser.line.On(ctx, ""))
			}
		}
		return b.browser.line.Err()
	})
}

// lend does what is done with the session when the address is the provider's, whose browser it
// starts; not between `sign_in.begin` and `sign_in.end`.
func (b *Binding) lend(u *url.URL, do func() error) (provider bool, err error) {
	if u.Scheme != "https" || b.roles.Of(u.Hostname()) != abi.RoleProvider {
		return false, nil
	}
	if !b.hold() {
		return true, abi.NewError(abi.CodeBrowserClosed, "the run is over", "")
	}
	defer b.working.Done()
	b.starting.Do(b.start)
	if b.err != nil {
		return true, b.err
	}
	if b.started.Load().SigningIn() {
		return true, nil
	}
	if err := do(); err != nil {
		return true, b.browser.because(err)
	}
	return true, nil
}

// longAgo is when cookies end that are taken back.
const longAgo = 1

// settable is a cookie as the browser keeps it for an address; nil: it does not belong there. The
// browser refuses what only it can tell, such as a domain that is a public suffix.
func (b *Binding) settable(c *http.Cookie, u *url.URL) *proto.NetworkCookieParam {
	p := &proto.NetworkCookieParam{Name: c.Name, Value: c.Value, URL: u.Scheme + "://" + u.Host + u.EscapedPath(), Secure: c.Secure, HTTPOnly: c.HttpOnly}
	if c.Quoted { // a browser keeps the quotes as part of the value
		p.Value = `"` + c.Value + `"`
	}
	if domain := strings.ToLower(strings.TrimPrefix(c.Domain, ".")); domain != "" {
		if host := strings.ToLower(u.Hostname()); host != domain && !strings.HasSuffix(host, "."+domain) {
			return nil
		}
		p.Domain = "." + domain
		if !b.roles.Cookies(p.Domain) {
			return nil
		}
	}
	if p.Path = c.Path; !strings.HasPrefix(p.Path, "/") { // the folder of the address (RFC 6265, 5.1.4)
		at := u.EscapedPath()
		p.Path = at[:max(strings.LastIndexByte(at, '/'), 0)]
		if p.Path == "" {
			p.Path = "/"
		}
	}
	switch c.SameSite {
	case http.SameSiteLaxMode:
		p.SameSite = proto.NetworkCookieSameSiteLax
	case http.SameSiteStrictMode:
		p.SameSite = proto.NetworkCookieSameSiteStrict
	case http.SameSiteNoneMode:
		p.SameSite = proto.NetworkCookieSameSiteNone
	}
	switch now := time.Now(); {
	case c.MaxAge < 0:
		p.Expires = longAgo
	case c.MaxAge > 0:
		p.Expires = proto.TimeSinceEpoch(now.Add(time.Duration(min(c.MaxAge, mostAge)) * time.Second).Unix())
	case !c.Expires.IsZero():
		p.Expires = proto.TimeSinceEpoch(max(c.Expires.Unix(), longAgo))
	}
	return p
}

// mostAge is how long a cookie is kept, in seconds; browsers keep none for longer.
const mostAge = 400 * 24 * 60 * 60

// goesTo reports whether a cookie goes to an address of https (RFC 6265, 5.4). One that is kept for
// a page within another does not.
func goesTo(c *proto.NetworkCookie, u *url.URL) bool {
	host, path := strings.ToLower(u.Hostname()), u.EscapedPath()
	if path == "" {
		path = "/"
	}
	below, wide := strings.CutPrefix(c.Domain, ".")
	if host != below && !(wide && strings.HasSuffix(host, c.Domain)) {
		return false
	}
	within := path == c.Path || strings.HasPrefix(path, c.Path) && (strings.HasSuffix(c.Path, "/") || path[len(c.Path)] == '/')
	return within && c.PartitionKey == nil
}
