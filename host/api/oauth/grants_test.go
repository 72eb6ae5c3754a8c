package oauth

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// RD-36.3: a grant of which no connection is left is told apart; its text is as it was, and what
// it shows is nothing.
func TestAGrantWithoutConnections(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	token, id := b.granted()
	state := func() string {
		shown, err := grants.Show(t.Context(), b.owner, id)
		b.ok(err)
		return shown.State
	}
	if got := state(); got != grants.Holds {
		t.Errorf("got %s, want %s", got, grants.Holds)
	}
	before, err := b.store.GrantOf(t.Context(), id)
	b.ok(err)
	b.ok(b.store.RemoveConnection(t.Context(), "mine", nil))
	after, err := b.store.GrantOf(t.Context(), id)
	b.ok(err)
	if got := state(); got != grants.Inert || after.SHA256 != before.SHA256 {
		t.Errorf("got %s, want %s, and the same text", got, grants.Inert)
	}
	if text, err := b.reads(token); err != nil || text != "" {
		t.Errorf("got %q, %v, want nothing", text, err)
	}
	b.ok(grants.Revoke(t.Context(), b.owner, id))
	if got := state(); got != grants.Revoked {
		t.Errorf("got %s, want %s", got, grants.Revoked)
	}
}

// RD-54, RD-35.1, RD-48: an owner makes one more token of a grant that holds, which reads as the
// first does and is listed without its secret; a grant that is read once has its token already.
func TestAnotherTokenOfAGrant(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first, id := b.granted()
	made, err := grants.NewCredential(t.Context(), b.owner, id)
	b.ok(err)
	want, err := b.reads(first)
	b.ok(err)
	if got, err := b.reads(made.Token); err != nil || got != want || made.Token == first {
		t.Errorf("got %q, %v, want %q by another token", got, err, want)
	}
	shown, err := grants.Show(t.Context(), b.owner, id)
	b.ok(err)
	if len(shown.Tokens) != 2 || shown.Tokens[0].UsedAt == nil || !shown.Tokens[0].ExpiresAt.Equal(made.ExpiresAt) || shown.Review == nil || len(shown.Digest) != 64 {
		t.Errorf("got %+v, want two tokens, what was approved, and by which declaration", shown)
	}
	b.ok(grants.Revoke(t.Context(), b.owner, id))
	_, err = grants.NewCredential(t.Context(), b.owner, id)
	b.code(err, desk.CodeRevoked)
	_, err = b.reads(made.Token)
	b.code(err, desk.CodeRevoked)
	// RD-56.1: whose refusal it is, is known; that it reads nothing, too.
	who, err := b.desk.Caller(t.Context(), made.Token)
	b.code(err, desk.CodeRevoked)
	if who == nil || who.Grant != id || who.Client == "" || who.Scope != nil {
		t.Errorf("got %+v beside the refusal, want its grant without a scope", who)
	}

	client := b.registers("Once")
	polling, request := b.connects(object{"client_id": client, "request_uri": b.pushes(client, strings.Replace(asks, "continuous", "single_use", 1))})
	b.approves(request, grant.Choices{})
	_, err = grants.NewCredential(t.Context(), b.owner, b.polls(polling).string("grant_id"))
	b.code(err, desk.CodeRedeemRefused)
}

// RD-02.6: a request that is under way when its grant is revoked may end, and no page after it is
// served.
func TestARequestUnderWayEnds(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	token, id := b.granted()
	b.put("mine", `{"id":"c","title":"newer","at":"2026-02-02T00:00:00Z"}`)
	entered, revoked := make(chan struct{}), make(chan struct{})
	readers := records.New(records.Deps{
		Guard: &web.Guard{Listening: netip.MustParseAddrPort(at)}, Callers: b.desk, Now: b.desk.Now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler), Tell: b.owner.Tell,
		Reader: func(context.Context) (*read.Reader, error) {
			entered <- struct{}{}
			<-revoked
			return b.read, nil
		},
	})
	ask := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, origin+path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		readers.ServeHTTP(w, r)
		return w
	}
	go func() {
		<-entered
		if err := grants.Revoke(t.Context(), b.owner, id); err != nil {
			t.Error(err)
		}
		close(revoked)
	}()
	first := ask("/v1/streams/notes/records?limit=1")
	var page struct {
		Links struct {
			Next string `json:"next"`
		} `json:"links"`
	}
	b.ok(json.Unmarshal(first.Body.Bytes(), &page))
	if first.Code != http.StatusOK || page.Links.Next == "" {
		t.Fatalf("the request under way: got %d %s, want the first of several pages", first.Code, first.Body)
	}
	if next := ask(page.Links.Next); next.Code != http.StatusForbidden || !strings.Contains(next.Body.String(), `"code":"grant_revoked"`) {
		t.Errorf("the page after it: got %d %s, want grant_revoked", next.Code, next.Body)
	}
}
