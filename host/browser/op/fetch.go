package op

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/page"
)

// attempts is how often a request of fetch is made that the provider answers with trouble. Each
// waits for its turn at the gate.
const attempts = 3

// fetch has a page fetch, with its own cookies. Each request passes the gate, and some may fail.
func (o *Ops) fetch(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.readable(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if len(r.Requests) == 0 {
		return nil, nil, invalid("nothing is fetched")
	}
	results, bodies := make([]abi.BrowserResultOf, len(r.Requests)), make([][]byte, len(r.Requests))
	var left []int // of r.Requests
	for i, ask := range r.Requests {
		if err := o.named(ask.Headers); err != nil {
			results[i].Error = failure(err)
			continue
		}
		if u, err := url.Parse(ask.URL); err != nil || u.Host == "" || o.provider(ask.URL) != nil {
			results[i].Error = failure(abi.NewError(abi.CodeBrowserRefused, "the address is not one of the connector's provider", "fetch from a host of role provider"))
			continue
		}
		left = append(left, i)
	}
	room := abi.BrowserFetchesBytes
	for n := 1; len(left) > 0; n++ {
		asks := make([]abi.BrowserAsk, len(left))
		for k, i := range left {
			asks[k] = r.Requests[i]
		}
		got, err := p.Fetch(ctx, asks, room)
		if err != nil {
			return nil, nil, err
		}
		var again []int
		for k, i := range left {
			why := o.options.Roles.Why(asks[k].URL)
			if n < attempts && o.again(&asks[k], &got[k], why) {
				again = append(again, i)
				continue
			}
			results[i], bodies[i] = o.result(&got[k], why), got[k].Body
			room -= len(bodies[i])
		}
		left = again
	}
	var body []byte
	for i := range results {
		results[i].Offset, results[i].Length = int64(len(body)), int64(len(bodies[i]))
		body = append(body, bodies[i]...)
	}
	return &abi.BrowserAnswer{Results: results}, body, nil
}

// named says why a connector may not name these headers; nil: it may.
func (o *Ops) named(headers map[string]string) error {
	if len(headers) == 0 {
		return nil
	}
	if o.options.Headers == nil {
		return invalid("no header is named here")
	}
	h := make(http.Header, len(headers))
	for name, value := range headers {
		h[name] = []string{value}
	}
	return o.options.Headers(h)
}

// again reports whether a request is worth another attempt in this operation.
func (o *Ops) again(ask *abi.BrowserAsk, got *page.Fetched, why error) bool {
	if ask.Method != "" && ask.Method != http.MethodGet && ask.Method != http.MethodHead || why == nil || got.Status == 0 {
		return false
	}
	switch got.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// result is what a guest reads of one request.
func (o *Ops) result(got *page.Fetched, why error) abi.BrowserResultOf {
	switch {
	case why != nil:
		f := o.governed(why)
		got.Body = nil
		return abi.BrowserResultOf{Status: got.Status, Error: f}
	case got.Error != "":
		return abi.BrowserResultOf{Error: failure(abi.NewError(abi.CodeBrowserNotLoaded, "the browser could not fetch it: "+got.Error, "try it again later"))}
	case got.Large:
		return abi.BrowserResultOf{Status: got.Status, Error: failure(abi.NewError(abi.CodeBrowserTooLarge, "the answer is too large", "ask for less at a time"))}
	}
	return abi.BrowserResultOf{Status: got.Status, URL: got.URL, Headers: got.Headers}
}
