package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var provider = api.Provider{Name: "Notes", Origin: "https://api.notes.example", Slot: "notes", Header: map[string]string{"Notes-Version": "1"}, Below: "/v1/"}

// connector is one whose Collect is a function.
type connector func(h *sdk.Host) error

func (connector) Manifest() string {
	return `{"connector_key":"notes","runtime_requirements":{"bindings":{"network":{"required":true}},"network":{"hosts":[{"host":"api.notes.example","reason":"x"}],
		"credentials":[{"name":"notes","hosts":["api.notes.example"],"in":"header","key":"Authorization","as":"bearer","field":"token"}]}},
		"options":[{"name":"base_url","type":"string"}],
		"streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"},{"name":"tags","primary_key":["id"],"semantics":"mutable_state"}]}`
}

func (c connector) Collect(h *sdk.Host) error { return c(h) }

// answers is a provider that answers each address with a text.
type answers map[string]string

func (a answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, known := a[r.URL.RequestURI()]
	switch code, err := strconv.Atoi(body); {
	case !known:
		w.WriteHeader(http.StatusNotFound)
	case err == nil:
		w.WriteHeader(code)
	default:
		_, _ = w.Write([]byte(body))
	}
}

func collect(t testing.TB, p http.Handler, change func(*sdktest.Options), c func(h *sdk.Host) error) *sdktest.Result {
	o := sdktest.Options{Provider: p, Credentials: map[string]bool{"token": true}}
	if change != nil {
		change(&o)
	}
	return sdktest.Collect(t, connector(c), o)
}

// rows lists the ids on each page of a list.
func rows(c *api.Client, pager api.Pager, at string) (string, error) {
	var list []string
	pages := c.Pages(pager, at)
	for pages.Next() {
		var ids []string
		for it := pages.Page().Items.Children(); it.Next(); {
			ids = append(ids, it.Value().Get("id").Str())
		}
		list = append(list, strings.Join(ids, ","))
	}
	return strings.Join(list, "|"), pages.Err()
}

func searching(c *api.Client, cursor string) sdk.Request {
	if cursor != "" {
		cursor = "&from=" + cursor
	}
	return c.Get("/v1/search?q=x" + cursor)
}

const origin = "https://api.notes.example"

func TestPagers(t *testing.T) {
	t.Parallel()
	link, cursor := api.NextLink("/v1/notes", "items", "next"), api.Cursor(searching, "items", "more", "cursor")
	for name, c := range map[string]struct {
		pager   api.Pager
		at      string
		answers answers
		want    string // the pages, or the code of the failure
	}{
		"link":                    {link, "", answers{"/v1/notes": `{"items":[{"id":"a"}],"next":"` + origin + `/v1/notes?p=2"}`, "/v1/notes?p=2": `{"items":[{"id":"b"}],"next":null}`}, "a|b"},
		"link from page 2":        {link, origin + "/v1/notes?p=2", answers{"/v1/notes?p=2": `{"items":[{"id":"b"}],"next":""}`}, "b"},
		"link, empty":             {link, "", answers{"/v1/notes": `{"items":[],"next":null}`}, ""},
		"link renamed":            {link, "", answers{"/v1/notes": `{"items":[{"id":"a"}],"next_page":"` + origin + `/v1/notes?p=2"}`}, "notes_malformed_response"},
		"link, may lack":          {link.LastLacksNext(), "", answers{"/v1/notes": `{"items":[{"id":"a"}],"next":"` + origin + `/v1/notes?p=2"}`, "/v1/notes?p=2": `{"items":[]}`}, "a|"},
		"rows, may lack":          {link.EmptyLacksItems(), "", answers{"/v1/notes": `{"next":null}`}, ""},
		"rows lacking text":       {link.EmptyLacksItems(), "", answers{"/v1/notes": `"next"`}, "notes_malformed_response"},
		"rows, may not be":        {link.EmptyLacksItems(), "", answers{"/v1/notes": `{"items":{},"next":null}`}, "notes_malformed_response"},
		"link in a circle":        {link, "", answers{"/v1/notes": `{"items":[],"next":"` + origin + `/v1/notes?p=2"}`, "/v1/notes?p=2": `{"items":[],"next":"` + origin + `/v1/notes?p=2"}`}, "notes_paging_cycle"},
		"link away":               {link, "", answers{"/v1/notes": `{"items":[{"id":"a"}],"next":"https://api.notes.example.evil.example/v1/notes"}`}, "notes_next_refused"},
		"link to a user":          {link, "", answers{"/v1/notes": `{"items":[{"id":"a"}],"next":"https://api.notes.example@evil.example/v1/notes"}`}, "notes_next_refused"},
		"link without TLS":        {link, "", answers{"/v1/notes": `{"items":[{"id":"a"}],"next":"http://api.notes.example/v1/notes"}`}, "notes_next_refused"},
		"link above":              {link, "", answers{"/v1/notes": `{"items":[{"id":"a"}],"next":"https://api.notes.example/admin"}`}, "notes_next_refused"},
		"kept link away":          {link, "https://evil.example/v1/notes", answers{}, "notes_next_refused"},
		"link, a number":          {link, "", answers{"/v1/notes": `{"items":[],"next":5}`}, "notes_malformed_response"},
		"no rows":                 {link, "", answers{"/v1/notes": `{"rows":[]}`}, "notes_malformed_response"},
		"rows are null":           {link, "", answers{"/v1/notes": `{"items":null}`}, "notes_malformed_response"},
		"not JSON":                {link, "", answers{"/v1/notes": `<html>`}, "notes_malformed_response"},
		"a status":                {link, "", answers{"/v1/notes": `403`}, "notes_http_403"},
		"credentials":             {link, "", answers{"/v1/notes": `401`}, "notes_auth_failed"},
		"cursor":                  {cursor, "", answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"more":true,"cursor":"c"}`, "/v1/search?q=x&from=c": `{"items":[{"id":"b"}],"more":false}`}, "a|b"},
		"cursor forgotten":        {cursor, "old", answers{"/v1/search?q=x&from=old": `400`, "/v1/search?q=x": `{"items":[{"id":"a"}],"more":false}`}, "a"},
		"cursor refused":          {cursor, "", answers{"/v1/search?q=x": `{"items":[],"more":true,"cursor":"c"}`, "/v1/search?q=x&from=c": `400`}, "notes_malformed_response"},
		"cursor missing":          {cursor, "", answers{"/v1/search?q=x": `{"items":[],"more":true}`}, "notes_malformed_response"},
		"cursor repeated":         {cursor, "", answers{"/v1/search?q=x": `{"items":[],"more":true,"cursor":"c"}`, "/v1/search?q=x&from=c": `{"items":[],"more":true,"cursor":"c"}`}, "notes_paging_cycle"},
		"no word of more":         {cursor, "", answers{"/v1/search?q=x": `{"items":[],"cursor":"c"}`}, "notes_malformed_response"},
		"cursor renamed":          {api.Cursor(searching, "items", "", "cursor"), "", answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"next_cursor":"c"}`}, "notes_malformed_response"},
		"cursor alone":            {api.Cursor(searching, "items", "", "cursor").LastLacksNext(), "", answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"cursor":"c"}`, "/v1/search?q=x&from=c": `{"items":[{"id":"b"}]}`}, "a|b"},
		"cursor a number":         {api.Cursor(searching, "items", "", "cursor"), "", answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"cursor":2}`, "/v1/search?q=x&from=2": `{"items":[{"id":"b"}],"cursor":null}`}, "a|b"},
		"numbers and more":        {cursor, "", answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"more":true,"cursor":2}`, "/v1/search?q=x&from=2": `{"items":[{"id":"b"}],"more":false,"cursor":3}`}, "a|b"},
		"cursor false":            {api.Cursor(searching, "items", "", "cursor"), "", answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"cursor":false}`}, "notes_malformed_response"},
		"cursor no whole":         {api.Cursor(searching, "items", "", "cursor"), "", answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"cursor":2.5}`}, "notes_malformed_response"},
		"cursor an object":        {cursor, "", answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"more":true,"cursor":{}}`}, "notes_malformed_response"},
		"nested cursor":           {api.Cursor(searching, "/data/children", "", "/meta/next~1to").LastLacksNext(), "", answers{"/v1/search?q=x": `{"data":{"children":[{"id":"a"}]},"meta":{"next/to":"c"}}`, "/v1/search?q=x&from=c": `{"data":{"children":[{"id":"b"}]},"meta":{}}`}, "a|b"},
		"nested rows amiss":       {api.Cursor(searching, "/data/children", "", "/meta/next"), "", answers{"/v1/search?q=x": `{"children":[]}`}, "notes_malformed_response"},
		"a dot in a name":         {api.NextLink("/v1/notes", "value", "@odata.nextLink").LastLacksNext(), "", answers{"/v1/notes": `{"value":[{"id":"a"}],"@odata.nextLink":"` + origin + `/v1/notes?p=2"}`, "/v1/notes?p=2": `{"value":[]}`}, "a|"},
		"offset":                  {api.Offset("/v1/notes?l=2", "items", "offset", 2), "", answers{"/v1/notes?l=2&offset=0": `{"items":[{"id":"a"},{"id":"b"}]}`, "/v1/notes?l=2&offset=2": `{"items":[{"id":"c"}]}`, "/v1/notes?l=2&offset=3": `{"items":[]}`}, "a,b|c|"},
		"offset, capped":          {api.Offset("/v1/notes?l=3", "items", "offset", 3), "", answers{"/v1/notes?l=3&offset=0": `{"items":[{"id":"a"},{"id":"b"}]}`, "/v1/notes?l=3&offset=2": `{"items":[{"id":"c"}]}`, "/v1/notes?l=3&offset=3": `{"items":[]}`}, "a,b|c|"},
		"offset, a total":         {api.Offset("/v1/notes?l=2", "items", "offset", 2).HasTotal("n"), "", answers{"/v1/notes?l=2&offset=0": `{"n":3,"items":[{"id":"a"},{"id":"b"}]}`, "/v1/notes?l=2&offset=2": `{"n":3,"items":[{"id":"c"}]}`}, "a,b|c"},
		"capped, a total":         {api.PageNumber("/v1/notes", "items", "page", 1, 3).HasTotal("n"), "", answers{"/v1/notes?page=1": `{"n":"3","items":[{"id":"a"},{"id":"b"}]}`, "/v1/notes?page=2": `{"n":"3","items":[{"id":"c"}]}`}, "a,b|c"},
		"a total, resumed":        {api.Offset("/v1/notes?l=2", "items", "offset", 2).HasTotal("n"), "2", answers{"/v1/notes?l=2&offset=2": `{"n":1,"items":[{"id":"c"}]}`, "/v1/notes?l=2&offset=3": `{"n":1,"items":[]}`}, "c|"},
		"offset, no size":         {api.Offset("/v1/notes", "items", "offset", 0), "", answers{"/v1/notes?offset=0": `{"items":[{"id":"a"}]}`, "/v1/notes?offset=1": `{"items":[]}`}, "a|"},
		"offset, not one":         {api.Offset("/v1/notes", "items", "offset", 0), "x", answers{"/v1/notes?offset=0": `{"items":[{"id":"a"}]}`, "/v1/notes?offset=1": `{"items":[]}`}, "a|"},
		"next link, not one":      {api.NextLink("/v1/notes", "items", "next"), "0", answers{"/v1/notes": `{"items":[{"id":"a"}],"next":null}`}, "a"},
		"page number":             {api.PageNumber("/v1/notes", "", "page", 1, 1), "", answers{"/v1/notes?page=1": `[{"id":"a"}]`, "/v1/notes?page=2": `[]`}, "a|"},
		"the number is not known": {api.PageNumber("/v1/notes", "", "page", 1, 1), "", answers{"/v1/notes?page=1": `[{"id":"a"}]`, "/v1/notes?page=2": ` [ {"id":"a"}]`}, "notes_malformed_response"},
		"page number again":       {api.PageNumber("/v1/notes", "", "page", 1, 1), "2", answers{"/v1/notes?page=2": `[{"id":"b"}]`, "/v1/notes?page=3": `[]`}, "b|"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			res := collect(t, c.answers, nil, func(h *sdk.Host) error {
				var err error
				got, err = rows(api.New(h, provider), c.pager, c.at)
				return err
			})
			if e := res.Done.Error; e != nil {
				if got != "" && c.want == "notes_next_refused" {
					t.Errorf("got the page %q, want no page with a link that leads away", got)
				}
				got = e.Code
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			for _, r := range res.Requests {
				if r.Credential != "notes" || r.Headers["Notes-Version"] != "1" || !strings.HasPrefix(r.URL, origin+"/v1/") {
					t.Errorf("request %+v, want one below %s/v1/ with credential and version", r, origin)
				}
			}
		})
	}
}

// endless is a list whose every page has another behind it.
type endless struct{ asked int }

func (e *endless) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	e.asked++
	_, _ = fmt.Fprintf(w, `{"items":[],"more":true,"cursor":"c%d"}`, e.asked)
}

func TestListThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	e := &endless{}
	res := collect(t, e, nil, func(h *sdk.Host) error {
		_, err := rows(api.New(h, provider), api.Cursor(searching, "items", "more", "cursor"), "")
		return err
	})
	if res.Done.Error == nil || res.Done.Error.Code != "notes_malformed_response" || e.asked != 50_000 {
		t.Errorf("%+v after %d pages, want notes_malformed_response after 50000", res.Done.Error, e.asked)
	}
}

// A position that the provider has forgotten, and gives again, is no circle.
func TestForgottenPositionComesAgain(t *testing.T) {
	t.Parallel()
	forgotten := true
	var got string
	res := collect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("from") == "":
			_, _ = w.Write([]byte(`{"items":[{"id":"a"}],"more":true,"cursor":"c"}`))
		case forgotten:
			forgotten = false
			w.WriteHeader(http.StatusBadRequest)
		default:
			_, _ = w.Write([]byte(`{"items":[{"id":"b"}],"more":false}`))
		}
	}), nil, func(h *sdk.Host) error {
		var err error
		got, err = rows(api.New(h, provider), api.Cursor(searching, "items", "more", "cursor"), "c")
		return err
	})
	if got != "a|b" || res.Done.Error != nil {
		t.Errorf("got %q, %+v, want a|b and no error", got, res.Done.Error)
	}
}

// The option base_url replaces the address, of links as well, and a request of Prefetch is
// sent once.
func TestAddresses(t *testing.T) {
	t.Parallel()
	p := answers{"/v1/notes": `{"items":[{"id":"a"}],"next":"http://127.0.0.1:4000/v1/notes?p=2"}`, "/v1/notes?p=2": `{"items":[{"id":"b"}],"next":null}`, "/v1/tags": `{"items":[{"id":"t"}],"next":null}`}
	res := collect(t, p, func(o *sdktest.Options) { o.Options = map[string]string{"base_url": "http://127.0.0.1:4000/"} }, func(h *sdk.Host) error {
		c := api.New(h, provider)
		if err := c.Prefetch("/v1/notes", "/v1/tags"); err != nil {
			return err
		}
		for path, want := range map[string]string{"/v1/notes": "a|b", "/v1/tags": "t"} {
			if got, err := rows(c, api.NextLink(path, "items", "next"), ""); err != nil || got != want {
				t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
			}
		}
		return nil
	})
	if len(res.Requests) != 3 || !strings.HasPrefix(res.Requests[0].URL, "http://127.0.0.1:4000/v1/") {
		t.Errorf("%d requests, the first %s, want 3 below http://127.0.0.1:4000/v1/", len(res.Requests), res.Requests[0].URL)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]api.Outcome{
		200: api.Found, 204: api.Found, 304: api.Found, 301: api.Refused, 400: api.Refused, 401: api.Denied, 403: api.Refused, 404: api.Gone, 410: api.Gone,
		408: api.Later, 429: api.Later, 451: api.Refused, 500: api.Later, 503: api.Later,
	} {
		if got := api.Of(&sdk.Response{Status: status}); got != want {
			t.Errorf("status %d: got %v, want %v", status, got, want)
		}
	}
	if got := api.Of(nil); got != api.Later {
		t.Errorf("no answer: got %v, want %v", got, api.Later)
	}
}

// list returns a stream that emits the ids of a list.
func list(stream, path string) api.Stream {
	return api.Stream{Name: stream, Collect: func(c *api.Client) error {
		pages := c.Pages(api.NextLink(path, "items", "next"), "")
		for pages.Next() {
			for it := pages.Page().Items.Children(); it.Next(); {
				r := c.Record(stream)
				r.Copy("id", it.Value().Get("id"))
				if err := r.Emit(); err != nil {
					return err
				}
			}
		}
		return pages.Err()
	}}
}

var table = api.Table{
	Who: "/v1/me",
	IDs: func(v jsonvalue.Value) []string {
		if id := v.Get("id").Str(); id != "" {
			return []string{id}
		}
		return nil
	},
	Streams: []api.Stream{list("notes", "/v1/notes"), list("tags", "/v1/tags")},
}

// A stream that fails is reported and the others are collected; a failure that concerns
// every request ends the run.
func TestCollect(t *testing.T) {
	t.Parallel()
	const me, notes, tags = `{"id":"me"}`, `{"items":[{"id":"a"}],"next":null}`, `{"items":[{"id":"t"}],"next":null}`
	for name, c := range map[string]struct {
		me, notes, tags string
		code            string
		keys, skipped   string
		requests        int
	}{
		"all":              {me, notes, tags, "", "a,t", "", 3},
		"one fails":        {me, `500`, tags, "stream_collection_failed", "t", "notes", 3},
		"credentials fail": {me, `401`, tags, "notes_auth_failed", "", "", 2},
		"throttled":        {me, `429`, tags, "notes_rate_limited", "", "", 2},
		"nobody":           {`{"name":"me"}`, notes, tags, "notes_malformed_response", "", "", 1},
		"not JSON":         {`me`, notes, tags, "notes_malformed_response", "", "", 1},
		"who fails":        {`403`, notes, tags, "notes_http_403", "", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := collect(t, answers{"/v1/me": c.me, "/v1/notes": c.notes, "/v1/tags": c.tags}, nil, func(h *sdk.Host) error { return api.Collect(h, provider, table) })
			var code, keys, skipped []string
			if res.Done.Error != nil {
				code = append(code, res.Done.Error.Code)
			}
			for _, r := range res.All {
				keys = append(keys, r.Key)
			}
			for _, s := range res.Skips {
				skipped = append(skipped, s.Stream)
			}
			if strings.Join(code, "") != c.code || strings.Join(keys, ",") != c.keys || strings.Join(skipped, ",") != c.skipped || len(res.Requests) != c.requests {
				t.Errorf("code %v, records %v, reported %v, %d requests, want %q, %q, %q, %d", code, keys, skipped, len(res.Requests), c.code, c.keys, c.skipped, c.requests)
			}
		})
	}
	only := collect(t, answers{"/v1/me": me, "/v1/tags": tags}, func(o *sdktest.Options) { o.Streams = []string{"tags"} },
		func(h *sdk.Host) error { return api.Collect(h, provider, table) })
	if len(only.Requests) != 2 || len(only.All) != 1 {
		t.Errorf("a run of one stream: %d requests, %d records, want 2 and 1", len(only.Requests), len(only.All))
	}
	recovery := collect(t, answers{}, func(o *sdktest.Options) { o.RecoveryOnly = true }, func(h *sdk.Host) error { return api.Collect(h, provider, table) })
	if recovery.Done.Status != abi.DoneSucceeded || len(recovery.Requests) != 0 {
		t.Errorf("a run that recovers only: %+v after %d requests, want it to succeed without one", recovery.Done, len(recovery.Requests))
	}
}
