package records

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// canary stands where the client of the tests may not look.
const canary = "canary"

// filled is a bed with records of both connections, whose hidden fields have a canary.
func filled(t *testing.T) *bed {
	t.Helper()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a","title":"red wine","secret":"canary red","n":9007199254740993,"at":"2026-01-01T00:00:00Z"}`,
		"b", `{"id":"b","title":"red red","secret":"canary","n":1,"at":"2026-01-02T00:00:00Z"}`, "c", `{"id":"c","title":"blue","secret":"canary","n":2}`)
	b.put("two", "notes", "d", `{"id":"d","title":"red canary"}`)
	b.put("one", "other", "x", `{"id":"canary"}`)
	return b
}

// Invariant 9, RD-11, RD-12, RD-13, RD-22, RD-22.2, RD-26, RD-27, RD-34.4: what the routes answer an owner and a client, and
// that a client is told nothing of what is not granted.
func TestFind(t *testing.T) {
	t.Parallel()
	b := filled(t)
	const notes = "/v1/streams/notes"
	for _, c := range []struct {
		path          string
		owner, client string // a part of the answer, or the code of a refusal
	}{
		{"/v1/search?q=red", `"count":3,"count_accuracy":"exact"`, `"count":2,"count_accuracy":"exact"`},
		{"/v1/search?q=canary", `"count":4`, `"count":0`},
		{"/v1/search?q=red&streams=other", `"count":0`, "grant_stream_not_allowed"},
		{"/v1/search?q=red&streams=notes&streams=other&limit=1", `"has_more":true`, "grant_stream_not_allowed"},
		{"/v1/search?q=red&limit=1", `"has_more":true`, `"record_key":"b"`},
		{"/v1/search?q=red&connection_id=" + b.ids["two"], `"record_key":"d"`, "connection_not_found"},
		{"/v1/search?q=wine", `"record_url":"/v1/streams/notes/records/a?connection_id=`, `"snippet":{"field":"title","text":"red wine"}`},
		{"/v1/search", "invalid_request", "invalid_request"},
		{"/v1/search?q=%22%20OR(*", `"data":[]`, `"data":[]`},
		{"/v1/search?q=a&connector_id=demo", "invalid_request", "invalid_request"},
		{"/v1/search?q=a&filter[n]=1", "invalid_request", "invalid_request"},
		{"/v1/search?q=red&streams=notes&filter[n]=1", `"count":1,`, "invalid_request"},
		{"/v1/search?q=red&streams=notes&filter[n][lt]=2", `"record_key":"b"`, "invalid_request"},
		{"/v1/search?q=red&streams=notes&filter[n][gte]=3&limit=1", `"has_more":false`, "invalid_request"},
		{"/v1/search?q=red&streams=notes&filter[none]=1", "unknown_field", "invalid_request"},
		{"/v1/search?q=red&streams=notes&filter[title][gte]=a", "invalid_request", "invalid_request"},
		{"/v1/search?q=red&streams=notes&streams=other&filter[n]=1", "invalid_request", "invalid_request"},
		{"/v1/search?q=a&limit=0", "invalid_request", "invalid_request"},
		{"/v1/search?q=a&cursor=abc", "invalid_cursor", "invalid_cursor"},
		{"/v1/search?q=" + strings.Repeat("a", 513), "invalid_request", "invalid_request"},
		{"/v1/search/semantic?q=a", "not_found", "not_found"},
		{notes + "/aggregate?metric=count", `"value":4,`, `"value":3,`},
		{notes + "/aggregate?metric=sum&field=n", `"value":9007199254740996,`, "field_not_granted"},
		{notes + "/aggregate?metric=count&group_by=title&limit=1", `"other_count":3`, `"groups":[{"key":"blue","count":1}]`},
		{notes + "/aggregate?metric=count&group_by=secret", `"key":"canary","count":2`, "field_not_granted"},
		{notes + "/aggregate?metric=count&group_by_time=at&granularity=day", `{"key":"2026-01-01","count":1}`, "field_not_granted"},
		{notes + "/aggregate?metric=count&filter[n]=1", `"value":1,`, "invalid_request"},
		{notes + "/aggregate?metric=avg&field=n", "invalid_request", "invalid_request"},
		{notes + "/aggregate", "invalid_request", "invalid_request"},
		{"/v1/streams/other/aggregate?metric=count", `"value":1,`, "grant_stream_not_allowed"},
		{"/v1/streams/nothing/aggregate?metric=count", "not_found", "grant_stream_not_allowed"},
		{notes + "/records/a/field-window?field=title&limit_chars=3", `"text":"red","start_chars":0,"end_chars":3`, `"next_offset_chars":3`},
		{notes + "/records/a/field-window?field=title&cursor=4", `"text":"wine"`, `"previous_offset_chars":0`},
		{notes + "/records/a/field-window?field=title&q=wine", `"match_start_chars":4`, `"match_end_chars":8`},
		{notes + "/records/a/field-window?field=title&q=w&cursor=4", "invalid_window", "invalid_window"},
		{notes + "/records/a/field-window?field=title&q=canary", "query_not_found", "query_not_found"},
		{notes + "/records/a/field-window?field=secret", `"text":"canary red"`, "field_not_granted"},
		{notes + "/records/a/field-window?field=n", "field_not_text", "field_not_granted"},
		{notes + "/records/a/field-window", "invalid_field_path", "invalid_field_path"},
		{notes + "/records/d/field-window?field=title", `"text":"red canary"`, "not_found"},
		{notes, `"secret"`, `"granted_connections":[{"connection_id":"` + b.ids["one"]},
		{notes, `"range_filters":["n"]`, `"cursor_field":null`},
		{"/v1/streams/other", `"name":"other"`, "grant_stream_not_allowed"},
		{"/v1/schema", `"bearer":{"scope":"owner"`, `"bearer":{"scope":"grant","token_kind":"client","client_id":"c","grant_id":"g"}`},
		{"/v1/schema", `"stream_count":2`, `"stream_count":1`},
		{"/v1/schema?view=compact", `"n":"t=number,eq,r=gte|gt|lte|lt,a=sum"`, `"title":"t=text,lex,a=group_by"`},
		{"/v1/connectors", `"stream_count":2,"streams":[{"object":"stream","name":"notes","record_count":4,`, `"stream_count":1,"streams":[{"object":"stream","name":"notes","record_count":3,"last_updated":"2026-01-02T03:04:00Z","freshness":{"status":"unknown","captured_at":"2026-01-02T03:04:00Z"},"capabilities":{"id":"t=text","title":"t=text,lex,a=group_by"}}]`},
		{"/v1/connectors?connection_id=" + b.ids["two"], `"record_count":1`, "connection_not_found"},
		{"/v1/connectors?connector_id=none", `"data":[]`, "invalid_request"},
		{"/v1/connectors?limit=0", "invalid_request", "invalid_request"},
		{"/v1/schema?detail=full", "invalid_request", "invalid_request"},
		{"/v1/schema?detail=full&stream=notes", `"connector_id":"demo"`, `"schema":{"type":"object","properties":{"id":{"type":"string"},"title":{"type":"string"}},"required":["id"]}`},
		{"/v1/schema?stream=none", `"connectors":[]`, "grant_stream_not_allowed"}, // RD-12.2
		{"/v1/schema?connection_id=none", `"connectors":[]`, "connection_not_found"},
		{"/v1/schema?connection_id=none&stream=notes", `"connectors":[]`, "connection_not_found"},
		{"/v1/schema?connector_id=none", `"connectors":[]`, "invalid_request"},
		{"/v1/streams/none", "not_found", "grant_stream_not_allowed"},
		{"/v1/schema?stream=other", `"name":"other"`, "grant_stream_not_allowed"},
	} {
		for token, want := range map[string]string{b.owner: c.owner, "client": c.client} {
			a := b.get(token, c.path)
			if token == "client" && strings.Contains(a.body, canary) && !strings.Contains(c.path, canary) {
				t.Errorf("%s: got %s, want no canary in it", c.path, a.body)
			}
			if a.Error.Code != "" && a.Error.Code != want || a.Error.Code == "" && !strings.Contains(a.body, want) {
				t.Errorf("%s as %q: got %d %s, want %s", c.path, token, a.status, a.body, want)
			}
		}
	}
	for _, path := range []string{"/v1/schema", notes} {
		if a := b.get("client", path); strings.Contains(a.body, "secret") || strings.Contains(a.body, `"at"`) {
			t.Errorf("%s: got %s, want no field that is not granted", path, a.body)
		}
	}
}

// RD-27.4: a client's cursor goes on with its own search alone.
func TestSearchGoesOn(t *testing.T) {
	t.Parallel()
	b := filled(t)
	b.server.Now = b.clock
	first := b.get("client", "/v1/search?q=red&limit=1")
	next := b.get("client", *first.Links.Next)
	if !strings.Contains(next.body, `"record_key":"a"`) || next.HasMore || !strings.Contains(next.body, `"count":2`) {
		t.Errorf("got %s, want a, the last of 2", next.body)
	}
	if a := b.get(b.owner, *first.Links.Next); a.Error.Code != wire.CodeInvalidCursor {
		t.Errorf("got %s for another's cursor, want %s", a.body, wire.CodeInvalidCursor)
	}
}

// RD-12.4: an answer that its reader has is not sent again.
func TestSchemaIsTagged(t *testing.T) {
	t.Parallel()
	b := filled(t)
	first := b.get("client", "/v1/schema")
	tag := first.head.Get("ETag")
	for _, sent := range []string{tag, `"x", W/` + tag, "*"} { // RFC 9110, 13.1.2
		w := b.raw("client", "/v1/schema", func(r *http.Request) { r.Header.Set("If-None-Match", sent) })
		if tag == "" || w.Code != http.StatusNotModified || w.Body.Len() != 0 {
			t.Errorf("got %d %q for %s, want %d and nothing", w.Code, w.Body, sent, http.StatusNotModified)
		}
	}
	if w := b.raw(b.owner, "/v1/schema", func(r *http.Request) { r.Header.Set("If-None-Match", tag) }); w.Code != http.StatusOK {
		t.Errorf("got %d for a client's tag, want %d", w.Code, http.StatusOK)
	}
}

// RD-12.4: the compact schema of fifty connectors with six streams of fifteen fields each is
// under 200 KB.
func TestACompactSchemaIsSmall(t *testing.T) {
	t.Parallel()
	const connectors, streams, fields, most = 50, 6, 15, 200_000
	b := newBed(t)
	var properties, all []string
	for i := range fields {
		properties = append(properties, fmt.Sprintf(`"field_%d":{"type":"string","description":"what it holds, in a sentence"}`, i))
	}
	for i := range streams {
		all = append(all, fmt.Sprintf(`{"name":"stream_%d","primary_key":["field_0"],"cursor_field":"field_1","schema":{"required":["field_0"],"properties":{%s}},
"query":{"search":{"lexical_fields":["field_2","field_3"]},"aggregations":{"group_by":["field_4"]}}}`, i, strings.Join(properties, ",")))
	}
	for i := range connectors {
		name := fmt.Sprintf("connector_%d", i)
		c, err := b.store.EnsureConnection(t.Context(), name, name)
		b.ok(err)
		b.ok(b.store.PinPlugin(t.Context(), c.ID, "aa", fmt.Appendf(nil, `{"connector_id":"https://example.com/%s","display_name":"Connector %d","streams":[%s]}`, name, i, strings.Join(all, ","))))
		b.ids[name] = c.ID
		for s := range streams {
			b.put(name, fmt.Sprintf("stream_%d", s), "a", `{"field_0":"a"}`)
		}
	}
	a := b.get(b.owner, "/v1/schema?view=compact")
	if got := len(a.body); a.status != http.StatusOK || strings.Count(a.body, `"object":"stream_metadata"`) != connectors*streams || got > most {
		t.Errorf("got %d and %d bytes with %d streams, want %d bytes at most", a.status, got, strings.Count(a.body, `"object":"stream_metadata"`), most)
	}
}

// RD-27.8: an owner's search says how many changes it could not look at yet, and a client's does not.
func TestSearchSaysWhatIsNotIndexed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var many []string
	for i := range 5000 { // more than one step of the index takes
		many = append(many, fmt.Sprint("k", i), `{"id":"k","title":"word"}`)
	}
	b.put("one", "notes", many...)
	patient := b.server.Reader
	b.server.Reader = func(ctx context.Context) (*read.Reader, error) {
		r, err := patient(ctx)
		if err == nil {
			r.Wait = 1
		}
		return r, err
	}
	const path, told = "/v1/search?q=word&limit=1", `"index":{"behind":`
	a := b.get(b.owner, path)
	for _, want := range []string{told, `"records_not_searched":`, `"count_accuracy":"lower_bound"`, `"recall":{"complete":false`, `"code":"partial_results"`} {
		if a.status != http.StatusOK || !strings.Contains(a.body, want) {
			t.Errorf("got %d %s, want %d with %s", a.status, a.body, http.StatusOK, want)
		}
	}
	if a := b.get("client", path); strings.Contains(a.body, "behind\":") {
		t.Errorf("a client: got %s, want nothing of the index", a.body)
	}
	b.server.Reader = patient
	for a := b.get(b.owner, path); strings.Contains(a.body, told); a = b.get(b.owner, path) { // until it is indexed
		if a.status != http.StatusOK {
			t.Fatalf("got %d %s, want %d", a.status, a.body, http.StatusOK)
		}
	}
}
