package browser

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Cookies returns those that the browser would send to an address of the connector's provider,
// which starts it; none while the owner is signed in there, and none for other hosts.
func (b *Binding) Cookies(ctx context.Context, u *url.URL) ([]*http.Cookie, error) {
	if u.Scheme != "https" || b.roles.Of(u.Hostname()) != abi.RoleProvider {
		return nil, nil
	}
	b.lock.Lock()
	over := b.closed
	if !over {
		b.working.Add(1)
	}
	b.lock.Unlock()
	if over {
		return nil, abi.NewError(abi.CodeBrowserClosed, "the run is over", "")
	}
	defer b.working.Done()
	b.starting.Do(b.start)
	if b.err != nil {
		return nil, b.err
	}
	if b.started.Load().SigningIn() {
		return nil, nil
	}
	all, err := b.cookies(ctx)
	if err != nil {
		return nil, b.browser.because(err)
	}
	b.hideAll(all) // a provider may show them in an answer
	var sent []*http.Cookie
	for _, c := range all {
		if goesTo(c, u) {
			sent = append(sent, &http.Cookie{Name: c.Name, Value: c.Value}) //nolint:gosec // it is sent, and set nowhere
		}
	}
	return sent, nil
}

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
