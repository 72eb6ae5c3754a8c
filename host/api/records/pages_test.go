package records

import (
	"fmt"
	"strings"
	"testing"
)

// The pages of each list have each row once, for an owner and for a client, and a cursor fits its own
// list and choice alone.
func TestPagesOfConnections(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range 7 {
		c, err := b.store.EnsureConnection(t.Context(), fmt.Sprintf("zz%d", i), "demo")
		b.ok(err)
		b.ids[c.Name] = c.ID
		b.ok(b.store.PinPlugin(t.Context(), c.ID, "aa", []byte(manifest)))
	}
	b.put("zz3", "notes", "1", `{"id":"1","title":"x"}`)
	b.put("one", "notes", "1", `{"id":"1","title":"x"}`)
	all := func(token, path string, limit int) (rows []string, pages int) {
		t.Helper()
		path += "?limit=" + fmt.Sprint(limit)
		for next := path; next != ""; pages++ {
			a := b.get(token, next)
			if a.status != 200 || a.HasMore != (a.Links.Next != nil) || pages > 20 {
				t.Fatalf("%s: got %d %s, want a page", next, a.status, a.body)
			}
			for i := range a.Data {
				d := &a.Data[i]
				rows = append(rows, d.ConnectionID+" "+d.Name)
			}
			if next = ""; a.HasMore {
				next = *a.Links.Next
			}
		}
		return rows, pages
	}
	for _, c := range []struct {
		token, path string
		pages       int // of two connections each
	}{
		{b.owner, "/v1/connections", 5}, {b.owner, "/v1/streams", 5}, {b.owner, "/v1/connectors", 5},
		{"client", "/v1/connections", 1}, {"client", "/v1/streams", 1}, {"client", "/v1/connectors", 1},
	} {
		whole, n := all(c.token, c.path, 200)
		two, pages := all(c.token, c.path, 2)
		if c.path == "/v1/connectors" { // each page has the one that there is
			two = two[:min(1, len(two))]
		}
		if n != 1 || pages != c.pages || len(whole) == 0 || strings.Join(whole, "\n") != strings.Join(two, "\n") {
			t.Errorf("%s of %.6s: got %d pages of %q, want %d of %q", c.path, c.token, pages, two, c.pages, whole)
		}
	}
	first := b.get(b.owner, "/v1/connections?limit=2")
	for _, path := range []string{
		"/v1/streams?limit=2&cursor=" + first.Cursor, "/v1/connections?connector_id=demo&cursor=" + first.Cursor, "/v1/connections?cursor=x",
	} {
		if a := b.get(b.owner, path); a.status != 400 || a.Error.Code != "invalid_cursor" {
			t.Errorf("%s: got %d %s, want invalid_cursor", path, a.status, a.body)
		}
	}
	if a := b.get(b.owner, "/v1/connections?connector_id=other"); a.status != 200 || len(a.Data) != 0 || a.HasMore {
		t.Errorf("got %d %s, want no connection of another connector", a.status, a.body)
	}
	if a := b.get(b.owner, "/v1/connections?limit=201"); a.status != 400 {
		t.Errorf("got %d %s, want the limit refused", a.status, a.body)
	}
}
