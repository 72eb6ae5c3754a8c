package call

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// wire is the governor's transport: the work for each attempt at each hop. It receives
// its own copies of requests.
type wire struct {
	keys   *keyring
	jar    *jar
	ledger *ledger
	next   http.RoundTripper
	hide   func(name, value string) // see Options.Hide
	lent   *lent                    // see Session; nil: no session is
	large  chan struct{}            // one place for each large answer in memory, see reservePlace
}

// Limits on the memory that a run's answers use while they are read and passed on: of
// answers above heldFreely, mostLarge at a time. A guest may have 64 requests in
// progress, and a few compressed bytes can make the largest answer.
const (
	heldFreely = 1 << 20
	mostLarge  = 2
)

// reservePlace waits for a place if the call's answer is large and has none yet. A waiting
// call holds little, so the calls with a place can finish.
func (w *wire) reservePlace(ctx context.Context, c *call, n int64) error {
	if n <= heldFreely || c.large {
		return nil
	}
	select {
	case w.large <- struct{}{}:
		c.large = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// release gives the call's place back: its answer was passed on, or discarded.
func (w *wire) release(c *call) {
	if c.large {
		c.large = false
		<-w.large
	}
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// RoundTrip adds the secret if this hop is one for which the slot was made, adds the
// cookies and counts the bytes.
//
// Invariant 5: this is the only place where a secret joins a request.
func (w *wire) RoundTrip(out *http.Request) (*http.Response, error) {
	if next, ok := out.Context().Value(carryKey{}).(http.RoundTripper); ok {
		return w.carry(out, next)
	}
	c, _ := out.Context().Value(callKey{}).(*call)
	w.release(c) // the previous attempt or hop has left nothing
	to := originOf(out.URL)
	body := c.body
	// A redirect may have added a credential to the address, see checkConflicts.
	c.placed = c.slot != nil && c.slot.goesTo(to) && credentialKey(out.URL.RawQuery, c.slot) == "" && (c.accepted || c.slot.foreignParameter(out.URL.RawQuery) == "")
	var beside *slot
	if c.placed {
		beside = c.slot
		var text string
		var err error
		text, c.generation = w.keys.text(c.slot)
		if body, err = c.slot.placeSecret(out, body, text); err != nil {
			return nil, err
		}
	}
	if !c.placed && w.keys.cleanText(out.URL.String()) != out.URL.String() {
		// A provider that repeats the query in a Location would send it elsewhere.
		return nil, abi.NewError(send.CodeRedirectRefused, "the provider redirects a credential to another host",
			"the connector should ask for the final address")
	}
	setBody(out, body)
	switch {
	case c.renews: // it carries secrets, and belongs to no slot
	case c.accepted:
		w.jar.addCookies(out, nil)
	default:
		w.jar.addCookies(out, beside)
		if err := w.known(out, c); err != nil {
			return nil, err
		}
	}
	size := sizeOf(out, body)
	if err := w.ledger.reserve(size); err != nil {
		return nil, err
	}
	resp, err := w.next.RoundTrip(out)
	where := w.ledger.sent(to.hostport(), size, err == nil || mayHaveBeenSent(err))
	if err != nil {
		return nil, err
	}
	w.ledger.received(where, sizeOfHeader(resp.Header))
	if err := w.keepCookies(out, resp, c, beside); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	resp.Body = &metered{ReadCloser: resp.Body, ledger: w.ledger, to: where, room: func(n int64) error { return w.reservePlace(out.Context(), c, n) }}
	return resp, nil
}

// known adds the cookies by which a browser's session is known, beside no other secret. They stand
// in the place of those of the jar: what the browser has of a site is the truth.
func (w *wire) known(out *http.Request, c *call) error {
	if !w.lends(c) {
		return nil
	}
	cookies, err := w.lent.cookies(out.Context(), out.URL)
	if err != nil {
		return err
	}
	own, lent := out.Cookies(), map[string]bool{}
	var line []string
	for _, c := range cookies {
		// As it is: the browser sends what AddCookie would quote, or leave bytes of out.
		if !strings.ContainsFunc(c.Name+c.Value, func(r rune) bool { return r < ' ' || r == 0x7f || r == ';' }) {
			line = append(line, c.Name+"="+c.Value)
			lent[c.Name] = true
		}
	}
	if len(line) == 0 {
		return nil
	}
	out.Header.Set("Cookie", strings.Join(line, "; "))
	for _, c := range own {
		if !lent[c.Name] {
			out.AddCookie(c)
		}
	}
	return nil
}

// keepCookies keeps the cookies of an answer: in the browser whose session the request had, and else
// in the jar.
func (w *wire) keepCookies(out *http.Request, resp *http.Response, c *call, beside *slot) error {
	if w.hide != nil {
		for _, cookie := range resp.Cookies() {
			w.hide(cookie.Name, cookie.Value)
			if cookie.Quoted { // as it goes back
				w.hide(cookie.Name, `"`+cookie.Value+`"`)
			}
		}
	}
	if w.lends(c) && len(resp.Header["Set-Cookie"]) > 0 {
		if kept, err := w.lent.set(out.Context(), out.URL, fitting(out.URL, resp)); kept || err != nil {
			return err
		}
	}
	w.jar.store(out.URL, resp, beside)
	return nil
}

// lends reports whether a call has the session of a browser.
func (w *wire) lends(c *call) bool {
	return w.lent != nil && c.slot == nil && !c.accepted && !c.renews
}

// mayHaveBeenSent reports whether a failed request may have been sent.
func mayHaveBeenSent(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	if errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial" {
		return false
	}
	switch abi.CodeOf(err) {
	case egress.CodeHostRefused, egress.CodeSchemeRefused, egress.CodeAddressRefused:
		return false
	}
	return true
}

func setBody(out *http.Request, body []byte) {
	if len(body) == 0 {
		out.Body, out.ContentLength = http.NoBody, 0
		return
	}
	out.ContentLength = int64(len(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.Body, _ = out.GetBody()
}
