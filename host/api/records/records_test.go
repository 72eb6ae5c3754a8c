package records

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

const records = "/v1/streams/notes/records"

// RD-04, RD-06, RD-10, RD-14, RD-16.5, RD-17, RD-21, RD-23, RD-23.3: the owner lists the streams and
// their records, goes on by links alone, and is told what has changed since.
func TestOwnerReads(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a","n":1,"at":"2026-01-01T00:00:00Z"}`, "b", `{"id":"b","n":2,"at":"2026-01-02T00:00:00Z"}`)
	b.put("two", "notes", "c", `{"id":"c","n":3,"at":"2026-01-03T00:00:00Z"}`)
	a := b.get(b.owner, records+"?limit=2&count=exact")
	if a.status != http.StatusOK || a.ids() != "c b" || !a.HasMore || a.Meta.Count.Kind != "exact" || a.Meta.Count.Value != 3 || a.Since == "" {
		t.Fatalf("got %d %s, want c and b of three", a.status, a.body)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff", "Pdpp-Version": wire.Version} {
		if got := a.head.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if id := a.head.Get("Request-Id"); len(id) != 30 || id != a.head.Get("X-Request-ID") {
		t.Errorf("got request ids %q and %q, want one of 30 bytes", id, a.head.Get("X-Request-ID"))
	}
	last := b.get(b.owner, *a.Links.Next)
	if last.ids() != "a" || last.HasMore || last.Links.Next != nil || strings.Contains(last.body, "next_cursor") || last.Since == "" {
		t.Errorf("got %s, want a as the last page", last.body)
	}
	if got := b.get(b.owner, records+"?filter%5Bn%5D%5Bgte%5D=2&filter[n][lt]=3").ids(); got != "b" {
		t.Errorf("got %q, want b", got)
	}
	if got := b.get(b.owner, records+"?sort=at&fields=n&limit=1000"); got.ids() != "a b c" || string(got.Data[0].Data) != `{"id":"a","n":1}` || got.Meta.Warnings[0].Code != "limit_clamped" {
		t.Errorf("got %s, want all of them with n", got.body)
	}
	one := b.get(b.owner, records+"/a?fields=n")
	if one.status != http.StatusOK || !strings.Contains(one.body, `"data":{"id":"a","n":1}`) || !strings.Contains(one.body, `"links":{"self":"`+records+`/a?fields=n","next":null}`) {
		t.Errorf("got %d %s, want the record a", one.status, one.body)
	}
	if s := b.get(b.owner, "/v1/streams"); len(s.Data) != 2 || s.Data[0].Name != "notes" || *s.Data[0].RecordCount != 2 {
		t.Errorf("got %s, want notes of both connections", s.body)
	}
	b.put("one", "notes", "-a", "", "d", `{"id":"d"}`)
	first := b.get(b.owner, records+"?limit=1&changes_since="+url.QueryEscape(last.Since))
	if first.ids() != "-a" || first.Since != "" || first.Cursor == "" || !strings.Contains(first.body, `"deleted_at":"2026-01-02T03:04:05Z"`) || first.Data[0].Data != nil {
		t.Errorf("got %s, want that a went", first.body)
	}
	if next := b.get(b.owner, *first.Links.Next); next.ids() != "d" || next.Since == "" || next.Cursor != "" {
		t.Errorf("got %s, want d as the last page", next.body)
	}
	if whole := b.get(b.owner, records+"?changes_since=beginning"); whole.ids() != "b c d" {
		t.Errorf("got %s, want b, c and d", whole.body)
	}
}

// RD-18.4, RD-19, RD-11.1: an owner reads the fields of a declared view, sees of which times the
// records are, and how streams hang together. A client sees no views and no relations.
func TestViewsAndTimes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	declared := strings.Replace(manifest, `"name":"notes",`, `"name":"notes","views":[{"id":"short","fields":["title","gone"]},{"id":"dates","fields":["at"]}],"relationships":[{"name":"others","stream":"other","foreign_key":"id","cardinality":"has_many"}],`, 1)
	b.ok(b.store.PinPlugin(t.Context(), b.ids["one"], "bb", []byte(declared)))
	b.put("one", "notes", "a", `{"id":"a","n":1,"at":"2026-01-01T00:00:00Z","title":"red"}`, "b", `{"id":"b","n":2,"at":"2026-01-02T00:00:00Z"}`)
	one := records + "?connection_id=" + b.ids["one"]
	for _, c := range []struct{ token, path, want string }{
		{b.owner, one + "&view=short&order=asc&limit=1", `"data":{"id":"a","title":"red"}`},
		{b.owner, one + "&view=dates&limit=1", `"data":{"id":"b","at":"2026-01-02T00:00:00Z"}`},
		{b.owner, one + "&view=none", "invalid_request"},
		{b.owner, one + "&view=short&fields=n", "invalid_request"},
		{b.owner, one + "&view=short&changes_since=beginning", "invalid_request"},
		{"client", one + "&view=short", "invalid_request"},
		{b.owner, one + "&window=exact&limit=1", `"window":{"total":2,"earliest_at":"2026-01-01T00:00:00Z","latest_at":"2026-01-02T00:00:00Z"}`},
		{"client", one + "&window=exact", `"window":{"total":2}`},
		{b.owner, one + "&window=exact&changes_since=beginning", "invalid_request"},
		{b.owner, one + "&window=all", "invalid_request"},
		{b.owner, "/v1/streams/notes?connection_id=" + b.ids["one"], `"relationships":[{"name":"others","stream":"other","foreign_key":"id","cardinality":"has_many"}]`},
		{"client", "/v1/streams/notes", `"views":[],"relationships":[]`},
	} {
		if got := b.get(c.token, c.path); !strings.Contains(got.body, c.want) {
			t.Errorf("%s: got %d %s, want %s", c.path, got.status, got.body, c.want)
		}
	}
}

// RD-01.5: a record's key may have any character in it, escaped.
func TestKeysInPaths(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, key := range []string{"https://x/y", "a/../b", `["a","b"]`, "%", "a b?c#d", "ä", "%2F", "a+b", "..", strings.Repeat("k/", 8<<10)} {
		b.put("one", "notes", key, `{"id":"x"}`)
		if a := b.get(b.owner, records+"/"+url.PathEscape(key)); a.status != http.StatusOK {
			t.Errorf("%s: got %d %s, want the record", key, a.status, a.body)
		}
	}
	for _, path := range []string{records + "/", records + "/a/b", records + "/%00", records + "/%ff", "/v1/streams//records", "/v1/nothing", "/v1/streams/notes/nothing"} {
		if a := b.get(b.owner, path); a.status != http.StatusNotFound || a.Error.Code != "not_found" {
			t.Errorf("%s: got %d %s, want not_found", path, a.status, a.body)
		}
	}
}

// RD-01.2, RD-02, RD-03, RD-05, RD-08, RD-09, RD-23.1, RD-23.10: what is refused, and how.
func TestRefusals(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a"}`)
	b.put("two", "notes", "a", `{"id":"a"}`)
	for _, tt := range []struct {
		name, token, path string
		change            func(*http.Request)
		status            int
		code, param       string
	}{
		{name: "no token", path: records, status: 401, code: "authentication_error"},
		{name: "unknown", token: "nobody", path: records, status: 401, code: "authentication_error"},
		{name: "a token in the query", path: records + "?access_token=client", status: 401, code: "authentication_error"},
		{name: "a cookie", path: records, change: func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "pdpp-8377", Value: "client"}) }, status: 401, code: "authentication_error"},
		{name: "basic", token: "client", path: records, change: func(r *http.Request) { r.SetBasicAuth("client", "client") }, status: 401, code: "authentication_error"},
		{name: "revoked", token: "revoked", path: records, status: 403, code: "grant_revoked"},
		{name: "legacy", token: "legacy", path: records, status: 401, code: codeLegacy},
		{name: "another host", token: b.owner, path: records, change: func(r *http.Request) { r.Host = "evil.example" }, status: 421, code: codeMisdirected},
		{name: "another method", token: b.owner, path: records, change: func(r *http.Request) { r.Method = http.MethodPost }, status: 405, code: "method_not_allowed"},
		{name: "another version", token: b.owner, path: records, change: func(r *http.Request) { r.Header.Set("Pdpp-Version", "2020-01-01") }, status: 400, code: "unsupported_version", param: "PDPP-Version"},
		{name: "limit", token: b.owner, path: records + "?limit=0", status: 400, code: "invalid_request", param: "limit"},
		{name: "unknown parameter", token: b.owner, path: records + "?limits=1", status: 400, code: "invalid_request", param: "limits"},
		{name: "bare filter", token: b.owner, path: records + "?filter=", status: 400, code: "invalid_request", param: "filter"},
		{name: "a filter of 64 KiB", token: b.owner, path: records + "?filter[title]=" + strings.Repeat("x", 64<<10), status: 400, code: "invalid_request"},
		{name: "a client's filter of 64 KiB", token: "client", path: records + "?filter[title]=" + strings.Repeat("x", 64<<10), status: 400, code: "invalid_request", param: "filter"},
		{name: "field", token: b.owner, path: records + "?fields=gone", status: 400, code: "unknown_field"},
		{name: "sort", token: b.owner, path: records + "?sort=n", status: 400, code: "invalid_sort", param: "sort"},
		{name: "two sorts", token: b.owner, path: records + "?sort=n,at", status: 400, code: "invalid_sort", param: "sort"},
		{name: "cursor", token: b.owner, path: records + "?cursor=AAAA", status: 400, code: "invalid_cursor"},
		{name: "timestamp", token: b.owner, path: records + "?changes_since=2026-01-01", status: 400, code: "invalid_cursor"},
		{name: "changes in order", token: b.owner, path: records + "?changes_since=beginning&order=asc", status: 400, code: "invalid_request", param: "order"},
		{name: "changes with a filter", token: b.owner, path: records + "?changes_since=beginning&filter[n]=1", status: 400, code: "invalid_request", param: "filter[n]"},
		{name: "no stream", token: b.owner, path: "/v1/streams/gone/records", status: 404, code: "not_found"},
		{name: "no record", token: b.owner, path: records + "/gone", status: 404, code: "not_found"},
		{name: "no connection", token: b.owner, path: records + "?connection_id=gone", status: 404, code: "connection_not_found", param: "connection_id"},
		{name: "two connections", token: b.owner, path: records + "?connection_id=one&connector_instance_id=two", status: 400, code: "invalid_argument", param: "connector_instance_id"},
		{name: "another subject", token: b.owner, path: records + "?subject_id=me", status: 400, code: "invalid_request", param: "subject_id"},
		{name: "ambiguous", token: b.owner, path: records + "/a", status: 409, code: codeAmbiguous, param: "connection_id"},
		{name: "a client filters", token: "client", path: "/v1/streams/gone/records?filter[x]=1", status: 400, code: "invalid_request", param: "filter"},
		{name: "a client expands", token: "client", path: records + "?expand_limit[x]=1", status: 400, code: "invalid_request", param: "expand_limit"},
		{name: "a client sorts by what it does not see", token: "client", path: records + "?sort=at", status: 403, code: "field_not_granted"},
		{name: "a client asks for a hidden field", token: "client", path: records + "?fields=secret", status: 403, code: "field_not_granted"},
	} {
		change := tt.change
		if change == nil {
			change = func(*http.Request) {}
		}
		a := b.get(tt.token, tt.path, change)
		if a.status != tt.status || a.Error.Code != tt.code || a.Error.Param != tt.param || a.Error.RequestID != a.head.Get("Request-Id") {
			t.Errorf("%s: got %d %s, want %d %s of %q", tt.name, a.status, a.body, tt.status, tt.code, tt.param)
		}
		if a.status == http.StatusUnauthorized && !strings.HasPrefix(a.head.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s: got WWW-Authenticate %q, want a challenge", tt.name, a.head.Get("WWW-Authenticate"))
		}
		if tt.name == "unknown" && (!strings.Contains(a.head.Get("WWW-Authenticate"), `error="invalid_token"`) || a.Error.Metadata != "http://"+at+"/.well-known/x") {
			t.Errorf("got %q and %s, want what is wrong with the token, and where to get one", a.head.Get("WWW-Authenticate"), a.body)
		}
		if tt.name == "ambiguous" && (len(a.Error.Available) != 2 || a.Error.RetryWith != "connection_id") {
			t.Errorf("got %s, want both connections to choose from", a.body)
		}
	}
	if a := b.get(b.owner, records+"?connector_instance_id="+b.ids["one"]); a.ids() != "a" || a.Meta.Warnings[0].Code != "deprecated_alias_used" {
		t.Errorf("got %s, want one connection's record and a warning", a.body)
	}
}

// RD-03.2, RD-34.4: what is outside the scope is refused as what is not there, byte by byte but for
// the id, and no answer under the scope has a word of it.
func TestNothingOutside(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a","title":"t","secret":"canary","at":"2026-01-01T00:00:00Z"}`)
	b.put("two", "notes", "hidden", `{"id":"hidden","title":"canary"}`)
	b.put("one", "other", "x", `{"id":"canary"}`)
	plain := func(path string) string {
		a := b.get("client", path)
		return strings.ReplaceAll(a.body, a.head.Get("Request-Id"), "ID")
	}
	for there, never := range map[string]string{
		"/v1/streams/other/records": "/v1/streams/never/records", "/v1/streams/other/records?changes_since=beginning": "/v1/streams/never/records?changes_since=beginning",
		records + "/hidden": records + "/never", records + "?connection_id=" + b.ids["two"]: records + "?connection_id=00000000000000000000000000000000",
		"/v1/streams/other/records/x": "/v1/streams/never/records/x",
	} {
		if got, want := plain(there), plain(never); got != want || !strings.Contains(got, "error") {
			t.Errorf("%s:\ngot  %s\nwant %s as of %s", there, got, want, never)
		}
	}
	for _, path := range []string{"/v1/streams", records, records + "/a", records + "?changes_since=beginning", records + "?count=exact&limit=1"} {
		if got := plain(path); strings.Contains(got, "canary") || strings.Contains(got, "hidden") || strings.Contains(got, b.ids["two"]) || strings.Contains(got, "error") {
			t.Errorf("%s: got %s, want nothing of what is outside", path, got)
		}
	}
	before := plain(records + "?changes_since=beginning")
	if !strings.Contains(before, `"data":{"id":"a","title":"t"}`) {
		t.Errorf("got %s, want the granted fields of a", before)
	}
}

// RD-05.1, RD-16.2: whatever stands in a query is answered or refused with a code, never
// with a fault of the host, and no cursor but its own is read.
func FuzzQueryOfRecords(f *testing.F) {
	b := newBed(f)
	b.put("one", "notes", "a", `{"id":"a","n":1}`, "b", `{"id":"b","n":2}`)
	first := b.get(b.owner, records+"?limit=1")
	f.Add("limit=1&cursor=" + first.Cursor)
	f.Add("changes_since=" + first.Since + "&limit=1")
	f.Add("filter[n][gte]=1&fields=n,id&sort=-at&order=desc&count=exact")
	f.Add("filter[x][gte]=1&connection_id=one&connector_instance_id=two&subject_id=owner_local")
	f.Fuzz(func(t *testing.T, raw string) {
		for _, token := range []string{b.owner, "client"} {
			a := (&bed{TB: t, server: b.server, check: b.check}).get(token, records, func(r *http.Request) { r.URL.RawQuery = raw })
			if a.status != http.StatusOK && (a.status >= 500 || a.Error.Code == "" || a.Error.RequestID == "") {
				t.Errorf("%q: got %d %s, want an answer or a refusal", raw, a.status, a.body)
			}
			sent, err := url.ParseQuery(raw)
			if c := sent.Get("cursor"); err == nil && c != "" && a.status == http.StatusOK && (c != first.Cursor || token != b.owner) {
				t.Errorf("%q: got %s, want its cursor refused", raw, a.body)
			}
		}
	})
}

// RD-02.1, RD-01.1: where a client learns how to get a token is said by the scheme that it
// asked with.
func TestMetadataHasTheScheme(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for want, state := range map[string]*tls.ConnectionState{"http": nil, "https": {}} {
		a := b.get("", "/v1/streams", func(r *http.Request) { r.TLS = state })
		if want += "://" + at + "/.well-known/x"; a.Error.Metadata != want || !strings.Contains(a.head.Get("WWW-Authenticate"), `"`+want+`"`) {
			t.Errorf("got %s and %s, want %s", a.Error.Metadata, a.head.Get("WWW-Authenticate"), want)
		}
	}
}

// RD-17.3: a filter of nothing is one of the empty text.
func TestFilterOfTheEmptyText(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a","title":""}`, "b", `{"id":"b","title":"t"}`, "c", `{"id":"c"}`)
	if a := b.get(b.owner, records+"?filter[title]="); a.ids() != "a" {
		t.Errorf("got %d %s, want a alone", a.status, a.body)
	}
}

// Each request that the page shows is answered.
func TestThePageIsTrue(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "KEY", `{"id":"KEY","title":"a brulee"}`)
	text, err := os.ReadFile("../../../docs/reading.md")
	b.ok(err)
	shown := regexp.MustCompile(`(?m)^curl -H "\$AUTH" "\$HOST(/[^"]*)"$`).FindAllStringSubmatch(string(text), -1)
	if len(shown) != 7 {
		t.Errorf("the page shows %d requests, want 7", len(shown))
	}
	for _, one := range shown {
		if a := b.get(b.owner, one[1]); a.status != http.StatusOK {
			t.Errorf("%s: got %d %s, want a success", one[1], a.status, a.body)
		}
	}
}
