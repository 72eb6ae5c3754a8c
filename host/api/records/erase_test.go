package records

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/artifact"
)

// token makes a token of the owner's.
func (b *bed) token(scope access.Scope) string {
	b.Helper()
	made, err := access.CreateToken(b.Context(), b.server.Guard.As(owner.Actor{Face: owner.CommandLine}), access.NewToken{Name: string(scope), Scope: scope})
	b.ok(err)
	return made.Secret
}

// events are what an audit has of an operation.
func (b *bed) events(operation string) (all []storage.AuditEvent) {
	b.Helper()
	all, err := b.store.AuditEvents(b.Context(), storage.AuditQuery{Operation: operation})
	b.ok(err)
	return all
}

// RD-25, RD-25.1, RD-25.2: an owner's token that manages deletes a record, once, and no read tells of
// it but the change feed; no run brings it back, and its file goes.
func TestRecordsAreDeleted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	path := b.keep("one", "a/../b", "title", "text/plain", "of it alone")
	b.put("one", "notes", "c", `{"id":"c","title":"word"}`)
	since := b.get(b.owner, "/v1/streams/notes/records?connection_id="+b.ids["one"]).Since
	if a := b.get("client", "/v1/streams/notes/records"); a.ids() != "a/../b c" && a.ids() != "c a/../b" {
		t.Fatalf("before: got %s, want both records", a.ids())
	}
	manages := b.token(access.ScopeManage)
	const at = "/v1/streams/notes/records/a%2F..%2Fb"
	if w := b.raw(manages, at, method(http.MethodDelete)); w.Code != http.StatusNoContent || w.Body.Len() != 0 || w.Header().Get("Request-Id") == "" {
		t.Fatalf("got %d %s, want %d and nothing", w.Code, w.Body, http.StatusNoContent)
	}
	if w := b.raw(manages, at, method(http.MethodDelete)); w.Code != http.StatusNotFound {
		t.Errorf("again: got %d %s, want %d", w.Code, w.Body, http.StatusNotFound)
	}
	gone := func(when string) {
		t.Helper()
		if a := b.get("client", "/v1/streams/notes/records"); a.ids() != "c" {
			t.Errorf("%s: got %s, want c", when, a.ids())
		}
		if a := b.get(b.owner, "/v1/streams/notes/records?count=exact&connection_id="+b.ids["one"]); a.ids() != "c" || a.Meta.Count.Value != 1 {
			t.Errorf("%s: got %s, counted %d, want c alone", when, a.ids(), a.Meta.Count.Value)
		}
		if w := b.raw(b.owner, at); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d, want %d", when, w.Code, http.StatusNotFound)
		}
	}
	gone("deleted")
	if a := b.get(b.owner, "/v1/streams/notes/records?connection_id="+b.ids["one"]+"&changes_since="+since); a.ids() != "-a/../b" {
		t.Errorf("the changes: got %s, want the tombstone", a.ids())
	}
	if w := b.raw(b.owner, path); w.Code != http.StatusNotFound {
		t.Errorf("its file: got %d, want %d", w.Code, http.StatusNotFound)
	}
	b.put("one", "notes", "a/../b", `{"id":"a/../b","title":"again"}`, "c", `{"id":"c","title":"word"}`)
	gone("collected again")
	all := b.events("records.delete")
	if len(all) != 1 || all[0].Outcome != "done" || all[0].Subject != "one notes" || all[0].Actor != string(owner.APIToken) {
		t.Errorf("got the events %+v, want one that was done, without a key", all)
	}
	if w := b.raw(manages, "/v1/blobs/"+artifact.ID("x"), method(http.MethodDelete)); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("a blob: got %d, allowed %s, want %d", w.Code, w.Header().Get("Allow"), http.StatusMethodNotAllowed)
	}
}

// RD-25, RD-02.4: no app deletes anything, nor does a token of the owner's that does not manage, nor
// a page of another site; a record of several connections has to be chosen.
func TestWhoDeletesRecords(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("one", "notes", "a", `{"id":"a"}`)
	b.put("two", "notes", "a", `{"id":"a"}`)
	const at = "/v1/streams/notes/records/a"
	manages := b.token(access.ScopeManage)
	for what, c := range map[string]struct {
		token, path string
		change      func(*http.Request)
		status      int
		code        string
	}{
		"an app":           {"client", at, nil, http.StatusForbidden, "permission_error"},
		"one that reads":   {b.owner, at, nil, http.StatusForbidden, "permission_error"},
		"one that runs":    {b.token(access.ScopeRun), at, nil, http.StatusForbidden, "permission_error"},
		"another site":     {manages, at, sending("Origin", "https://evil.example"), http.StatusForbidden, "permission_error"},
		"nobody":           {"", at, nil, http.StatusUnauthorized, "authentication_error"},
		"both connections": {manages, at, nil, http.StatusConflict, "ambiguous_connection"},
		"another record":   {manages, at + "b", nil, http.StatusNotFound, "not_found"},
		"a parameter":      {manages, at + "?fields=id", nil, http.StatusBadRequest, "invalid_request"},
	} {
		w := b.raw(c.token, c.path, method(http.MethodDelete), func(r *http.Request) {
			if c.change != nil {
				c.change(r)
			}
		})
		var got answer
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status || got.Error.Code != c.code {
			t.Errorf("%s: got %d %s, want %d %s", what, w.Code, w.Body, c.status, c.code)
		}
	}
	if a := b.get(b.owner, "/v1/streams/notes/records"); strings.Count(a.ids(), "a") != 2 {
		t.Errorf("got %s, want both records", a.ids())
	}
	if w := b.raw(manages, at+"?connection_id="+b.ids["two"], method(http.MethodDelete)); w.Code != http.StatusNoContent {
		t.Errorf("one of both: got %d %s, want %d", w.Code, w.Body, http.StatusNoContent)
	}
	if a := b.get(b.owner, "/v1/streams/notes/records"); len(a.Data) != 1 || a.Data[0].ConnectionID != b.ids["one"] {
		t.Errorf("got %s, want the record of the other connection", a.body)
	}
}
