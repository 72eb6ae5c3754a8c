package records

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/read"
)

// library declares shelves with books.
const library = `{"connector_id":"https://example.com/demo","display_name":"Demo","streams":[{"name":"notes","schema":{"properties":{"id":{"type":"string"},"title":{"type":"string"}}},
"relationships":[{"name":"books","stream":"books","foreign_key":"shelf","cardinality":"has_many"},{"name":"label","stream":"labels","foreign_key":"shelf","cardinality":"has_one"}],
"query":{"expand":[{"name":"books","default_limit":1,"max_limit":20},{"name":"label"}]}},
{"name":"books","schema":{"properties":{"id":{"type":"string"},"shelf":{"type":"string"}}}},{"name":"labels","schema":{"properties":{"id":{"type":"string"},"shelf":{"type":"string"}}}}]}`

// RD-20.1, RD-20.2: an owner's records come with what their relations lead to, in a list and by
// themselves, as the stream's expand_capabilities say; a client's do not, whatever it names.
func TestExpand(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	told := map[string]int64{}
	b.server.Disclose = func(d *read.Disclosure) {
		for stream, n := range d.Records {
			told[stream] += n
		}
	}
	for _, name := range []string{"one", "two"} {
		b.ok(b.store.PinPlugin(t.Context(), b.ids[name], "bb", []byte(library)))
	}
	b.put("one", "notes", "s/1", `{"id":"s/1"}`, "s2", `{"id":"s2"}`)
	b.put("one", "books", "a", `{"id":"a","shelf":"s/1"}`, "b", `{"id":"b","shelf":"s/1"}`)
	b.put("one", "labels", "x", `{"id":"x","shelf":"s/1"}`)

	list := b.get(b.owner, records+"?order=desc&expand=books,label&connection_id="+b.ids["one"])
	var parsed struct {
		Data []struct {
			Expanded struct {
				Books struct {
					Object  string `json:"object"`
					URL     string `json:"url"`
					HasMore bool   `json:"has_more"`
					Data    []struct {
						ID string `json:"id"`
					} `json:"data"`
				} `json:"books"`
				Label *struct {
					ID string `json:"id"`
				} `json:"label"`
			} `json:"expanded"`
		} `json:"data"`
	}
	b.ok(json.Unmarshal([]byte(list.body), &parsed))
	if len(parsed.Data) != 2 || strings.Contains(list.body, "next_changes_since") {
		t.Fatalf("got %d %s, want two records and no token of changes (RD-16.5)", list.status, list.body)
	}
	other, first := parsed.Data[0].Expanded, parsed.Data[1].Expanded
	if first.Books.Object != "list" || !first.Books.HasMore || len(first.Books.Data) != 1 || first.Books.Data[0].ID != "a" || first.Label == nil || first.Label.ID != "x" {
		t.Errorf("got %s, want the first of two books, and the label", list.body)
	}
	if other.Books.HasMore || len(other.Books.Data) != 0 || other.Label != nil || !strings.Contains(list.body, `"label":null`) {
		t.Errorf("got %s, want no books and no label of the other one", list.body)
	}
	if told["notes"] != 2 || told["books"] != 1 || told["labels"] != 1 {
		t.Errorf("got %v counted, want two notes, a book and a label", told)
	}
	if all := b.get(b.owner, first.Books.URL); all.ids() != "a b" {
		t.Errorf("%s: got %d %s, want both books", first.Books.URL, all.status, all.body)
	}
	for _, c := range []struct{ token, path, want string }{
		{b.owner, records + "/s%2F1?expand[]=books&expand_limit[books]=2", `"data":[{"object":"record","id":"a"`},
		{b.owner, records + "/s%2F1?expand=books&expand_limit[books]=2", `"has_more":false`},
		{b.owner, records + "?expand=books&expand_limit[books]=21", "invalid_expand"},
		{b.owner, records + "?expand=books&expand_limit[label]=1", "invalid_expand"},
		{b.owner, records + "?expand=title", "invalid_expand"},
		{b.owner, records + "?expand=books&expand_limit[books]=x", "invalid_request"},
		{b.owner, records + "?expand=books&changes_since=beginning", "invalid_request"},
		{"client", "/v1/streams/gone/records?expand=books", `"param":"expand"`},
		{"client", "/v1/streams/gone/records/a?expand[]=books", `"param":"expand"`},
		{"client", "/v1/streams/gone/records/a?expand_limit[books]=1", `"param":"expand_limit"`},
		{"client", "/v1/streams/notes", `"expand_capabilities":[]`},
		{
			b.owner, "/v1/streams/notes",
			`"expand_capabilities":[{"name":"books","relation":"books","stream":"books","target_stream":"books","foreign_key":"shelf","child_parent_key_field":"shelf","cardinality":"has_many","default_limit":1,"max_limit":20,"granted":true,"usable":true},{"name":"label",`,
		},
		{b.owner, "/v1/schema?stream=notes", `"expand_capabilities":[{"name":"books"`},
	} {
		if got := b.get(c.token, c.path); !strings.Contains(got.body, c.want) || got.status != http.StatusOK && c.want[0] == '"' && c.token != "client" {
			t.Errorf("%s: got %d %s, want %s", c.path, got.status, got.body, c.want)
		}
	}
}
