package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Failures of this connector's own, and one of CheckStatus.
const (
	codeMalformed = "spotify_malformed_response"
	codeCycle     = "spotify_paging_cycle"
	codeForeign   = "spotify_next_refused"
	codeForbidden = "spotify_http_403"
)

const (
	origin = "https://api.spotify.com"
	slot   = "spotify"
)

// api sends requests. The host paces and retries them, and renews the token.
type api struct {
	h     *sdk.Host
	base  string
	whose sdk.Account
	ready map[string]answer // of prefetch
}

// answer is the outcome of a request.
type answer struct {
	resp *sdk.Response
	err  error
}

func newAPI(h *sdk.Host) *api {
	a := &api{h: h, base: origin, ready: make(map[string]answer)}
	if to := h.Option("base_url"); to != "" {
		a.base = strings.TrimRight(to, "/")
	}
	return a
}

// identify asks whose sign-in it is.
func (a *api) identify() error {
	if err := a.h.Progress("asking for the sign-in's account", -1, -1, ""); err != nil {
		return err
	}
	if a.h.Stopping() {
		return sdk.ErrStopped
	}
	resp, err := a.h.Fetch(sdk.Request{URL: a.base + "/v1/me", Credential: slot})
	if err != nil {
		return err
	}
	if err := a.h.CheckStatus(resp); err != nil {
		return err
	}
	v, err := resp.JSON()
	id := v.Get("id").Str()
	if err != nil || id == "" {
		return malformed("the answer about the sign-in's account has no id")
	}
	a.whose, err = a.h.Account(id)
	return err
}

// page is one page of a list.
type page struct {
	items jsonvalue.Value
	next  string // "" on the last page
	total int64  // -1 when the page does not give it
}

// page asks for one page of a list.
func (a *api) page(url string) (page, error) {
	got, ok := a.ready[url]
	if delete(a.ready, url); !ok {
		got.resp, got.err = a.h.Fetch(sdk.Request{URL: url, Credential: slot})
	}
	if got.err != nil {
		return page{}, got.err
	}
	if err := a.h.CheckStatus(got.resp); err != nil {
		return page{}, err
	}
	return a.read(got.resp)
}

// read reads a page. Anything else must not pass for an empty page, or every row would
// seem removed.
func (a *api) read(resp *sdk.Response) (page, error) {
	v, err := resp.JSON()
	if err != nil {
		return page{}, malformed("a list returned " + err.Error())
	}
	p := page{items: v.Get("items"), total: -1}
	next := v.Get("next")
	switch {
	case p.items.Kind() != jsonvalue.Array:
		return page{}, malformed("the answer to a list has no items")
	case !next.IsNull() && next.Kind() != jsonvalue.String:
		return page{}, malformed("a list's link to its next page is not a text")
	}
	if p.next = next.Str(); p.next != "" && !strings.HasPrefix(p.next, a.base+"/v1/") {
		return page{}, &sdk.Failure{Code: codeForeign, Message: "a list's link to its next page leads away from the API", Hint: "not_retriable"}
	}
	if n, ok := v.Get("total").IntOK(); ok && n >= 0 {
		p.total = n
	}
	return p, nil
}

// prefetch asks for several pages at once; page hands them out.
func (a *api) prefetch(urls []string) error {
	asked := 0
	return a.h.FetchMany(len(urls), func() (sdk.Request, bool) {
		if asked == len(urls) {
			return sdk.Request{}, false
		}
		asked++
		return sdk.Request{URL: urls[asked-1], Credential: slot}, true
	}, func(r sdk.Request, resp *sdk.Response, err error) error {
		if err != nil && endsRun(err) {
			return err
		}
		a.ready[r.URL] = answer{resp, err}
		return nil
	})
}

func malformed(message string) error {
	return &sdk.Failure{Code: codeMalformed, Message: message, Retryable: true}
}
