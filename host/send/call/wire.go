package call

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// wire is the governor's transport: what is done for each attempt at each hop.
// The requests that it gets are copies of its own.
type wire struct {
	keys   *keyring
	jar    *jar
	ledger *ledger
	next   http.RoundTripper
	large  chan struct{} // a place for each large answer that is held, see held
}

// What a run's answers take of the host's memory while they are read and
// handed on: of those above heldFreely, mostLarge at a time. A guest may have 64
// requests under way, and a few compressed bytes make the largest answer.
const (
	heldFreely = 1 << 20
	mostLarge  = 2
)

// held waits for a place when the call's answer is large and has none yet. A call
// that waits holds little, so that those that have a place come to their end.
func (w *wire) held(ctx context.Context, c *call, n int64) error {
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

// release gives the call's place back: its answer is handed on, or thrown away.
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

// RoundTrip places the secret when this hop is one that it is for, adds the
// cookies and counts the bytes.
//
// Invariant 5: this is the only place where a secret joins a request.
func (w *wire) RoundTrip(out *http.Request) (*http.Response, error) {
	c, _ := out.Context().Value(callKey{}).(*call)
	w.release(c) // the attempt or hop before this one has left nothing
	to := originOf(out.URL)
	body := c.body
	// A redirect may have added a credential to the address, see beside.
	c.placed = c.slot != nil && c.slot.goesTo(to) && credentialKey(out.URL.RawQuery, c.slot) == "" && (c.accepted || c.slot.foreign(out.URL.RawQuery) == "")
	var beside *slot
	if c.placed {
		beside = c.slot
		var text string
		var err error
		text, c.generation = w.keys.text(c.slot)
		if body, err = c.slot.place(out, body, text); err != nil {
			return nil, err
		}
	}
	if !c.placed && w.keys.cleanText(out.URL.String()) != out.URL.String() {
		// A provider that repeats the query in a Location would carry it elsewhere.
		return nil, abi.NewError(send.CodeRedirectRefused, "the provider redirects a credential to another host",
			"the connector should ask for the final address")
	}
	setBody(out, body)
	switch {
	case c.renews: // it carries secrets, and is no request of a slot's
	case c.accepted:
		w.jar.put(out, nil)
	default:
		w.jar.put(out, beside)
	}
	size := sizeOf(out, body)
	if err := w.ledger.reserve(size); err != nil {
		return nil, err
	}
	resp, err := w.next.RoundTrip(out)
	where := w.ledger.sent(to.hostport(), size, err == nil || left(err))
	if err != nil {
		return nil, err
	}
	w.ledger.received(where, sizeOfHeader(resp.Header))
	w.jar.keep(out.URL, resp, beside)
	resp.Body = &metered{ReadCloser: resp.Body, ledger: w.ledger, to: where, room: func(n int64) error { return w.held(out.Context(), c, n) }}
	return resp, nil
}

// left reports whether a request that failed may have been sent.
func left(err error) bool {
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
