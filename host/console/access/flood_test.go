package access_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// OC-04.2: strangers who slow sign-in down keep nobody who is signed in from changing the
// password, for which wrong ones are counted by themselves.
func TestStrangersDoNotKeepTheOwnerFromAnotherPassword(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	stranger := b.visitor()
	for range 10 {
		stranger.says(stranger.post("/sign-in", "password", "wrong"), http.StatusForbidden, "")
	}
	stranger.says(stranger.post("/sign-in", "password", password), http.StatusTooManyRequests, "")
	const next = "five other plain words"
	change := func(was string) answer {
		return v.post("/settings/password", "was", was, "password", next, "again", next)
	}
	for range 10 {
		v.says(change("wrong"), http.StatusForbidden, "")
	}
	v.says(change(password), http.StatusTooManyRequests, "")
	b.from = "192.0.2.8:4444"
	v.leads(change(password), "/settings?done=password_changed")
}

// OC-04.2: strangers at sixty addresses keep the owner out of nothing: neither a browser that was never
// here, nor one that signed in before and shares an address with a stranger. It is asked over a
// connection, as a proxy asks for its visitors.
func TestStrangersDoNotKeepTheOwnerOut(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	server := httptest.NewServer(b.face)
	t.Cleanup(server.Close)
	at, err := netip.ParseAddrPort(server.Listener.Addr().String())
	b.ok(err)
	b.guard.Listening, b.guard.Origin, b.guard.BehindProxy = at, "", true
	var from string
	browser := func() *http.Client {
		jar, err := cookiejar.New(nil)
		b.ok(err)
		return &http.Client{Jar: jar, Transport: server.Client().Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	says := func(c *http.Client, want int, path string, pairs ...string) {
		t.Helper()
		form := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			form.Add(pairs[i], pairs[i+1])
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(form.Encode()))
		b.ok(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("X-Forwarded-For", from)
		res, err := c.Do(r) //nolint:gosec // to the test's own server
		b.ok(err)
		b.ok(res.Body.Close())
		if res.StatusCode != want {
			t.Errorf("%s from %s: got %d, want %d", path, from, res.StatusCode, want)
		}
	}
	from = "203.0.113.5"
	mine := browser()
	says(mine, http.StatusSeeOther, "/set-up", "code", b.link(), "password", password, "again", password)
	says(mine, http.StatusSeeOther, "/sign-out")
	for i := range 60 {
		from = fmt.Sprintf("198.51.100.%d", i)
		says(browser(), http.StatusForbidden, "/sign-in", "password", "wrong")
	}
	from = "203.0.113.9"
	says(browser(), http.StatusSeeOther, "/sign-in", "password", password)
	from = "198.51.100.1"
	for range 9 {
		says(browser(), http.StatusForbidden, "/sign-in", "password", "wrong")
	}
	says(browser(), http.StatusTooManyRequests, "/sign-in", "password", password)
	says(mine, http.StatusSeeOther, "/sign-in", "password", password)
}
