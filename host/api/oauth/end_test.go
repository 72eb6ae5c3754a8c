package oauth

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
)

// RD-50: a program of the owner's ends any grant where the protocol has apps end their own, by a
// token that may, as often as it asks; one that may only read ends none.
func TestOwnersProgramRevokes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	token, id := b.granted()
	owners := map[access.Scope]string{}
	for _, scope := range []access.Scope{access.ScopeRead, access.ScopeManage, access.ScopeIntrospect} {
		made, err := access.CreateToken(t.Context(), b.owner, access.NewToken{Name: string(scope), Scope: scope})
		b.ok(err)
		owners[scope] = made.Secret
	}
	revoke := func(id, token string) *sent {
		t.Helper()
		return b.posts("/grants/"+id+"/revoke", object{}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) })
	}
	for scope, want := range map[access.Scope]int{access.ScopeRead: http.StatusForbidden, access.ScopeIntrospect: http.StatusUnauthorized} {
		if got := revoke(id, owners[scope]); got.status != want {
			t.Errorf("a token of the scope %s: got %d %s, want %d", scope, got.status, got.text, want)
		}
	}
	if _, err := b.reads(token); err != nil {
		t.Errorf("after both: got %v, want the grant to hold", err)
	}
	if got := revoke("grt_none", owners[access.ScopeManage]); got.status != http.StatusNotFound {
		t.Errorf("a grant that there is none of: got %d %s, want 404", got.status, got.text)
	}
	for range 2 {
		if got := revoke(id, owners[access.ScopeManage]); got.status != http.StatusOK || got.body["revoked"] != true {
			t.Errorf("got %d %s, want it to be revoked", got.status, got.text)
		}
	}
	_, err := b.reads(token)
	b.code(err, desk.CodeRevoked)
	page, err := b.owner.AuditEvents(t.Context(), owner.AuditQuery{Operation: "grants.revoke"})
	b.ok(err)
	events := slices.DeleteFunc(page.Events, func(e owner.AuditEvent) bool { return e.Outcome != "done" })
	if len(events) != 1 || events[0].Subject != id || events[0].Actor != "token" || !strings.HasPrefix(events[0].Address, "192.0.") {
		t.Errorf("got the events %+v, want one of the owner's token", page.Events)
	}
}

// RD-57: tokens that are guessed where a grant is ended are counted, and the store is not asked about
// more than thirty of an address in a minute; one that was good there is not shut out.
func TestGuessesOfWhoRevokesAreCounted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, id := b.granted()
	made, err := access.CreateToken(t.Context(), b.owner, access.NewToken{Name: "mine", Scope: access.ScopeRead})
	b.ok(err)
	asked, as := 0, b.face.RevokeAsOwner
	b.face.RevokeAsOwner = func(ctx context.Context, address, token, id string) (bool, error) {
		asked++
		return as(ctx, address, token, id)
	}
	status := func(token, from string) int {
		t.Helper()
		b.forward(time.Second / rateOfOne)
		return b.posts("/grants/"+id+"/revoke", object{}, func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			r.RemoteAddr = from + ":1"
		}).status
	}
	const here, there = "198.51.100.7", "203.0.113.9"
	if got := status(made.Secret, here); got != http.StatusForbidden {
		t.Errorf("a token that reads: got %d, want %d", got, http.StatusForbidden)
	}
	asked = 0
	const guesses = 2 * wire.MostGuesses
	refused := map[int]int{}
	for i := range guesses {
		refused[status(fmt.Sprint("pdpp_ot_none", i), here)]++
	}
	most := wire.MostGuesses + wire.MostGuesses*guesses/rateOfOne/60 // with those of the time that went by
	if got := refused[http.StatusUnauthorized]; got < wire.MostGuesses || got > most || refused[http.StatusTooManyRequests] != guesses-got || asked != got {
		t.Errorf("got %v, and the store asked %d times, want 401 for %d to %d, 429 for the others and no question about those", refused, asked, wire.MostGuesses, most)
	}
	if got := status(made.Secret, here); got != http.StatusForbidden {
		t.Errorf("a token that was good before: got %d, want %d", got, http.StatusForbidden)
	}
	if got := status("pdpp_ot_none", there); got != http.StatusUnauthorized {
		t.Errorf("from another address: got %d, want %d", got, http.StatusUnauthorized)
	}
}

// RD-36.4: a grant is never narrowed. An app that is to read less asks again; what it had shows
// what it did, until that is revoked.
func TestNarrowingIsAskingAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first, id := b.granted()
	before, err := b.store.GrantOf(t.Context(), id)
	b.ok(err)
	client := before.ClientID
	polling, request := b.connects(object{"client_id": client, "request_uri": b.pushes(client, strings.Replace(asks, `"title","at"`, `"at"`, 1))})
	b.approves(request, grant.Choices{})
	second := b.polls(polling).string("access_token")
	const wide, narrow = `{"id":"b","title":"new","at":"2026-02-01T00:00:00Z"}`, `{"id":"b","at":"2026-02-01T00:00:00Z"}`
	for token, want := range map[string]string{first: wide, second: narrow} {
		if got, err := b.reads(token); err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	after, err := b.store.GrantOf(t.Context(), id)
	b.ok(err)
	if string(after.Document) != string(before.Document) || after.SHA256 != before.SHA256 {
		t.Errorf("the first grant became %s, want it to stay %s", after.Document, before.Document)
	}
	b.ok(grants.Revoke(t.Context(), b.owner, id))
	_, err = b.reads(first)
	b.code(err, desk.CodeRevoked)
	if got, err := b.reads(second); err != nil || got != narrow {
		t.Errorf("after the first has ended: got %s, %v, want %s", got, err, narrow)
	}
}

// RD-34.5: a stream that a newer module no longer declares is read as before by a grant of it, within
// its time and in its order, also by a host that starts then.
func TestADroppedStreamStaysGranted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("mine", `{"id":"z","title":"third","secret":"canary","at":"2026-01-20T00:00:00Z"}`)
	b.put("mine", `{"id":"y","title":"before its time","secret":"canary","at":"2025-12-31T23:59:59Z"}`)
	notes := manifest[strings.Index(manifest, `{"name":"notes"`):strings.Index(manifest, `{"name":"diary"`)]
	dropped := strings.Replace(strings.Replace(manifest, `"version":"1.0.0"`, `"version":"2.0.0"`, 1), notes, "", 1)
	b.accept("other", dropped)
	b.put("other", `{"id":"x"}`)
	ordered := func(want string) {
		all, err := b.store.ReadStreams(t.Context(), storage.ReadStreams{Name: "notes"})
		b.ok(err)
		p, err := b.read.Index.Plans.Of(t.Context(), &all[1])
		b.ok(err)
		if p.CursorField != want {
			t.Errorf("the plan of the dropped stream orders by %q, want %q", p.CursorField, want)
		}
	}
	ordered("")
	b.accept("other", `{}`) // so that one connection alone has what is asked for
	token, _ := b.granted()
	b.accept("other", dropped)
	ordered("at") // a grant that comes is heeded
	want, err := b.reads(token)
	b.ok(err)
	b.accept("mine", dropped)
	for range 2 {
		if got, err := b.reads(token); err != nil || got != want || !strings.Contains(want, "third") {
			t.Errorf("got %s, %v, want what it was before: %s", got, err, want)
		}
		b.read.Index = index.New(b.store, rand.Reader)
	}
}

// RD-32.1: what was approved stays as the declaration of then had it, whatever a newer module
// declares: a field that it adds is not shown, and one that it drops still is.
func TestANewerManifestChangesNoGrant(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	token, id := b.granted()
	before, err := b.store.GrantOf(t.Context(), id)
	b.ok(err)
	want, err := b.reads(token)
	b.ok(err)
	newer := strings.Replace(strings.Replace(manifest, `"version":"1.0.0"`, `"version":"2.0.0"`, 1), `"title":{"type":"string"}`, `"mood":{"type":"string"}`, 1)
	b.accept("mine", newer)
	b.put("mine", `{"id":"b","title":"new","mood":"canary","secret":"canary","at":"2026-02-01T00:00:00Z"}`)
	if got, err := b.reads(token); err != nil || got != want {
		t.Errorf("got %s, %v, want what it was before: %s", got, err, want)
	}
	after, err := b.store.GrantOf(t.Context(), id)
	b.ok(err)
	if string(after.Document) != string(before.Document) || after.Declaration != grant.Hash([]byte(manifest)) {
		t.Errorf("got the grant %s by the declaration %s, want it as it was by %s", after.Document, after.Declaration, grant.Hash([]byte(manifest)))
	}
}
