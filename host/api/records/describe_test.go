package records

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/read"
)

// guarded is a manifest whose every part names the field secret, which the client may not see.
const guarded = `{"connector_id":"https://example.com/demo","display_name":"Demo","streams":[{"name":"notes","semantics":"mutable_state","cursor_field":"secret","consent_time_field":"secret","primary_key":["id","secret"],
"views":[{"id":"v","fields":["title","secret"]}],"relationships":[{"name":"secret","stream":"other","foreign_key":"secret","cardinality":"has_many"}],
"schema":{"type":"object","title":"secret","additionalProperties":{"title":"secret"},"patternProperties":{"^secret":{}},"dependentRequired":{"title":["secret"]},"propertyNames":{"enum":["id","title","secret"]},
"anyOf":[{"required":["secret"]}],"if":{"properties":{"secret":{}}},"$defs":{"secret":{}},"minProperties":2,"required":["id","secret"],
"properties":{"id":{"type":"string"},"title":{"type":["string","null"]},"secret":{"type":"string","format":"date-time"}}},
"query":{"range_filters":{"secret":["gte"]},"search":{"lexical_fields":["title","secret"]},"aggregations":{"group_by":["title","secret"],"group_by_time":["secret"],"count_distinct":["secret"]},"expand":[{"name":"secret"}]}}]}`

// RD-11.1, RD-11.2, RD-11.3: a client is told of a stream's declaration what its fields are, and
// no keyword that may name another one; its owner is told all of it.
func TestADeclarationIsCut(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.ok(b.store.PinPlugin(t.Context(), b.ids["one"], "bb", []byte(guarded)))
	b.put("one", "notes", "a", `{"id":"a"}`)
	const path = "/v1/streams/notes"
	got := b.get("client", path).body
	const on, off = `{"declared":true,"usable":true}`, `{"declared":false,"usable":false}`
	field := func(schema, lexical, group string) string {
		return `{"type":"text","granted":true,"schema":` + schema + `,"lexical_search":` + lexical + `,"semantic_search":` + off + `,"aggregation":{"count_distinct":` + off +
			`,"group_by":` + group + `,"group_by_time":` + off + `,"max":` + off + `,"min":` + off + `,"sum":` + off + `}}`
	}
	for _, want := range []string{
		`"name":"notes","semantics":"mutable_state","schema":{"type":"object","properties":{"id":{"type":"string"},"title":{"type":["string","null"]}},"required":["id"]},"primary_key":["id"],"cursor_field":null,"consent_time_field":null,`,
		`"query":{"search":{"lexical_fields":["title"]},"aggregations":{"group_by":["title"]}},"views":[],"relationships":[],`,
		`"field_capabilities":{"id":` + field(`{"type":"string"}`, off, off) + `,"title":` + field(`{"type":["string","null"]}`, on, on) + `},"expand_capabilities":[]`,
		`"granted_connections":[{"connection_id":"` + b.ids["one"] + `","display_name":"one"}]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got  %s\nwant %s in it", got, want)
		}
	}
	for _, path := range []string{path, "/v1/schema", "/v1/schema?view=compact", "/v1/schema?detail=full&stream=notes", "/v1/connectors"} {
		if got := b.get("client", path); got.status != http.StatusOK || strings.Contains(got.body, "secret") {
			t.Errorf("%s: got %d %s, want nothing of the field secret", path, got.status, got.body)
		}
	}
	whole := b.get(b.owner, path+"?connection_id="+b.ids["one"]).body
	for _, want := range []string{
		`"dependentRequired":{"title":["secret"]}`, `"cursor_field":"secret","consent_time_field":"secret"`, `"range_filters":["secret"]`, `"views":[{"id":"v","fields":["title","secret"]}]`,
		`"range_filter":{"declared":true,"usable":true,"operators":["gte","gt","lte","lt"]}`, `"exact_filter":` + on,
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("the owner: got %s\nwant %s in it", whole, want)
		}
	}
}

// compact is an answer of /v1/schema?view=compact.
type compact struct {
	Detail     string `json:"detail"`
	Connectors []struct {
		Connections []connection `json:"granted_connections"`
		Streams     []struct {
			Name         string            `json:"name"`
			Schema       json.RawMessage   `json:"schema"`
			Connections  []connection      `json:"granted_connections"`
			Capabilities map[string]string `json:"field_capabilities"`
		} `json:"streams"`
	} `json:"connectors"`
}

// RD-12.1: a compact schema has no schemas, tells of a field in one line, and names connections
// that all streams have once.
func TestACompactSchema(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ask := func(token string) (c compact) {
		t.Helper()
		b.ok(json.Unmarshal([]byte(b.get(token, "/v1/schema?view=compact").body), &c))
		if c.Detail != "compact" || len(c.Connectors) != 1 {
			t.Fatalf("got %+v, want one connector in compact detail", c)
		}
		return c
	}
	b.put("one", "notes", "a", `{"id":"a"}`)
	b.put("two", "notes", "a", `{"id":"a"}`)
	for token, want := range map[string]map[string]string{
		"client": {"id": "t=text", "title": "t=text,lex,a=group_by"},
		b.owner:  {"id": "t=text,eq", "at": "t=date-time,eq,a=group_by_time", "n": "t=number,eq,r=gte|gt|lte|lt,a=sum", "title": "t=text,eq,lex,a=group_by", "secret": "t=text,eq,lex,a=group_by"},
	} {
		c := ask(token).Connectors[0]
		ids := []string{b.ids["one"], b.ids["two"]}
		if token == "client" {
			ids = ids[:1]
		}
		if !slices.EqualFunc(c.Connections, ids, func(c connection, id string) bool { return c.ID == id }) || len(c.Streams) != 1 || c.Streams[0].Connections != nil {
			t.Errorf("got %+v, want the connections %v at the connector alone", c, ids)
		}
		for _, s := range c.Streams {
			if len(s.Capabilities) != len(want) || s.Schema != nil {
				t.Errorf("got %+v, want the fields of %v and no schema", s, want)
			}
			for name, flags := range want {
				if s.Capabilities[name] != flags {
					t.Errorf("%s: got %q, want %q", name, s.Capabilities[name], flags)
				}
			}
		}
	}
	b.put("two", "other", "x", `{"id":"x"}`)
	c := ask(b.owner).Connectors[0]
	if c.Connections != nil || len(c.Streams) != 2 || len(c.Streams[0].Connections)+len(c.Streams[1].Connections) != 3 {
		t.Errorf("got %+v, want each stream with its own connections", c)
	}
}

// RD-12.3: a full schema needs the name of a stream, and a connection where several sources have
// that stream.
func TestAFullSchemaIsOfOneSource(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.ok(b.store.PinPlugin(t.Context(), b.ids["two"], "bb", []byte(strings.Replace(manifest, "example.com/demo", "example.com/another", 1))))
	b.put("one", "notes", "a", `{"id":"a"}`)
	b.put("two", "notes", "a", `{"id":"a"}`)
	for _, token := range []string{b.owner, "client"} {
		if a := b.get(token, "/v1/schema?detail=full"); a.status != http.StatusBadRequest || a.Error.Code != "invalid_request" || a.Error.Param != "detail" {
			t.Errorf("got %d %s, want detail refused without a stream", a.status, a.body)
		}
	}
	const path = "/v1/schema?detail=full&stream=notes"
	a := b.get(b.owner, path)
	if a.status != http.StatusConflict || a.Error.Code != "ambiguous_schema_detail" || len(a.Error.Available) != 2 || a.Error.RetryWith != "connection_id" {
		t.Errorf("got %d %s, want both sources to choose from", a.status, a.body)
	}
	for token, path := range map[string]string{b.owner: path + "&connection_id=" + b.ids["two"], "client": path} {
		if a := b.get(token, path); a.status != http.StatusOK || !strings.Contains(a.body, `"schema":{`) {
			t.Errorf("%s: got %d %s, want the whole declaration", path, a.status, a.body)
		}
	}
}

// RD-03.2, RD-12.2: a stream of a connection for which another stream was granted is as one that is not
// granted, and as one that is not there.
func TestAStreamOfAnotherConnection(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("two", "notes", "a", `{"id":"a"}`)
	b.server.Callers = read.AnyOf(b.server.Callers, grants{"both": {Client: "d", Grant: "h", Scope: &read.Scope{Streams: []read.StreamScope{
		{Name: "notes", Connections: []string{b.ids["one"]}, Fields: []string{"id"}}, {Name: "other", Connections: []string{b.ids["two"]}, Fields: []string{"id"}},
	}}}})
	same := func(one, two, code string) {
		t.Helper()
		x, y := b.get("both", one), b.get("both", two)
		if x.Error.Code != code || strings.ReplaceAll(x.body, x.Error.RequestID, "") != strings.ReplaceAll(y.body, y.Error.RequestID, "") {
			t.Errorf("%s: got  %d %s\n%s: got %d %s\nwant both to be %s", one, x.status, x.body, two, y.status, y.body, code)
		}
	}
	of := "connection_id=" + b.ids["two"]
	for _, path := range []string{"/v1/streams/notes", records, records + "/a"} {
		same(path+"?"+of, path+"?connection_id=none", "connection_not_found")
	}
	same("/v1/schema?stream=notes&"+of, "/v1/schema?stream=none", "grant_stream_not_allowed")
}

// RD-03.3, RD-09.2: who has to choose is told the connections of its scope, and no others.
func TestAvailableConnectionsAreOfTheScope(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, name := range []string{"three", "four"} {
		c, err := b.store.EnsureConnection(t.Context(), name, "demo")
		b.ok(err)
		b.ok(b.store.PinPlugin(t.Context(), c.ID, "aa", []byte(manifest)))
		b.ids[name] = c.ID
	}
	for name := range b.ids {
		b.put(name, "notes", "a", `{"id":"a","title":"t"}`)
	}
	b.server.Callers = read.AnyOf(b.server.Callers, grants{"several": {Client: "d", Grant: "h", Scope: &read.Scope{Streams: []read.StreamScope{
		{Name: "notes", Connections: []string{b.ids["one"], b.ids["three"]}, Fields: []string{"id", "title"}}, {Name: "other", Connections: []string{b.ids["two"]}, Fields: []string{"id"}},
	}}}})
	want := `"available_connections":[{"connection_id":"` + b.ids["one"] + `","display_name":"one","connector_key":"demo"},{"connection_id":"` + b.ids["three"] + `","display_name":"three","connector_key":"demo"}],"retry_with":"connection_id"`
	for _, path := range []string{records + "/a", records + "/a/field-window?field=title"} {
		a := b.get("several", path)
		if a.status != http.StatusConflict || a.Error.Code != "ambiguous_connection" || !strings.Contains(a.body, want) || strings.Contains(a.body, b.ids["two"]) || strings.Contains(a.body, b.ids["four"]) {
			t.Errorf("%s: got %d %s\nwant %s and nobody else", path, a.status, a.body, want)
		}
	}
}

// RD-09.5, RD-10, RD-12, RD-13, RD-27: a connector has one name in answers, its key: what an answer has as
// connector_id chooses its streams on each route. So do other spellings of the key, and the addresses that end in it.
func TestAConnectorHasOneName(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a","title":"red"}`)
	for _, path := range []string{"/v1/schema", "/v1/connectors", "/v1/search?q=red"} {
		for _, token := range []string{b.owner, "client"} {
			if a := b.get(token, path); !strings.Contains(a.body, `"connector_id":"demo","connector_key":"demo"`) {
				t.Errorf("%s: got %d %s, want demo as both names of the connector", path, a.status, a.body)
			}
		}
	}
	for _, path := range []string{"/v1/schema", "/v1/connectors", "/v1/connections", "/v1/streams", "/v1/streams/notes", records, records + "/a", records + "/a/field-window?field=title", "/v1/streams/notes/aggregate?metric=count"} {
		of := func(connector string) *answer {
			if strings.Contains(path, "?") {
				return b.get(b.owner, path+"&connector_id="+connector)
			}
			return b.get(b.owner, path+"?connector_id="+connector)
		}
		for _, name := range []string{"demo", "Demo", "https://registry.pdpp.dev/connectors/demo", "https://github.com/pdpp-host/pdpp-host/connectors/demo"} {
			if a := of(name); a.status != http.StatusOK || !strings.Contains(a.body, b.ids["one"]) && !strings.Contains(a.body, `"value":1`) && !strings.Contains(a.body, `"connector_id":"demo"`) {
				t.Errorf("%s of %s: got %d %s, want what there is of it", path, name, a.status, a.body)
			}
		}
		if a := of("https://example.com/demo"); a.status == http.StatusOK && (strings.Contains(a.body, b.ids["one"]) || strings.Contains(a.body, `"value":1`) || strings.Contains(a.body, `"connector_id":"demo"`)) {
			t.Errorf("%s of its source's address: got %s, want nothing, as on every other route", path, a.body)
		}
	}
}
