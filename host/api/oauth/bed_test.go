package oauth

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/described"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

const (
	at       = "127.0.0.1:8377"
	origin   = "http://" + at
	source   = "https://example.org/notes"
	manifest = `{"connector_id":"` + source + `","connector_key":"notes","display_name":"Notes","version":"1.0.0","streams":[
{"name":"notes","cursor_field":"at","consent_time_field":"at","primary_key":["id"],"schema":{"required":["id"],"properties":{"id":{"type":"string"},"title":{"type":"string"},"secret":{"type":"string"},"at":{"type":"string","format":"date-time"}}}},
{"name":"diary","schema":{"properties":{"id":{"type":"string"}}}}]}`
)

// asks is what the tests push: the titles of the notes of this year.
const asks = `[{"type":"https://pdpp.dev/data-access","source":{"id":"` + source + `"},"purpose_code":"https://example.org/why","access_mode":"continuous","streams":[
{"name":"notes","fields":["title","at"],"time_range":{"since":"2026-01-01T00:00:00Z"}},{"name":"diary","necessity":"optional"}]}]`

// bed is a face over a real store with the connection "mine", and its owner.
type bed struct {
	testing.TB
	face  *Server
	check *described.Document
	desk  *desk.Desk
	store *storage.Store
	owner *owner.Owner
	read  *read.Reader
	us    *atomic.Int64
	log   *bytes.Buffer
	runs  int
	from  int

	ownerless *atomic.Bool // nobody has claimed the host
}

func migrated(dsn string) error {
	s, err := storage.Open(context.Background(), storage.Options{Path: dsn, Now: time.Now})
	if err != nil {
		return err
	}
	return s.Close()
}

func newBed(t testing.TB) *bed {
	t.Helper()
	text, err := ownerapi.Document("v", Routes())
	b := &bed{TB: t, check: described.New(t, text, err), us: &atomic.Int64{}, ownerless: &atomic.Bool{}, log: &bytes.Buffer{}}
	b.us.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	now := func() time.Time { return time.UnixMicro(b.us.Load()).UTC() }
	store, err := storage.Open(t.Context(), storage.Options{Path: pgtest.Place(t, fresh.Store(t, filepath.Join(t.TempDir(), "pdpp.sqlite")), migrated), Now: now})
	b.ok(err)
	t.Cleanup(func() { _ = store.Close() })
	logger := slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b.store, b.desk = store, &desk.Desk{Store: store, Now: now, Random: rand.Reader}
	b.read = &read.Reader{Store: store, Index: index.New(store, rand.Reader), Now: now, Random: rand.Reader}
	b.owner = owner.New(owner.Deps{
		Open:  func(context.Context) (*storage.Store, error) { return store, nil },
		Actor: owner.Actor{Face: owner.CommandLine}, Now: now, Random: rand.Reader, Logger: logger,
	})
	guard := &web.Guard{Listening: netip.MustParseAddrPort(at)}
	as := func(a owner.Actor) *owner.Owner { return b.owner.As(a, nil) }
	b.face = New(Deps{Guard: guard, Desk: b.desk, Now: now, Random: rand.Reader, Logger: logger, Witness: b.witness, Claimed: func(context.Context) (bool, error) { return !b.ownerless.Load(), nil }, RevokeAsOwner: ownerapi.RevokeByToken(as), Introspects: func(ctx context.Context, id, secret string) (bool, error) {
		return access.Introspects(ctx, b.owner, id, secret)
	}})
	b.accept("mine", manifest)
	b.put("mine", `{"id":"a","title":"old","secret":"canary","at":"2025-06-01T00:00:00Z"}`, `{"id":"b","title":"new","secret":"canary","at":"2026-02-01T00:00:00Z"}`)
	return b
}

// witness has a client's change leave its audit event.
func (b *bed) witness(ctx context.Context, address, operation, subject string) context.Context {
	d := b.owner.Deps
	d.Actor = owner.Actor{Face: owner.App, Address: address}
	return owner.New(d).Witness(ctx, operation, subject)
}

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bed) code(err error, want abi.Code) {
	b.Helper()
	if got := abi.CodeOf(err); err == nil || got != want {
		b.Fatalf("got %v, want %s", err, want)
	}
}

func (b *bed) forward(d time.Duration) { b.us.Add(d.Microseconds()) }

func (b *bed) accept(name, manifest string) {
	b.Helper()
	c, err := b.store.EnsureConnection(b.Context(), name, "notes")
	b.ok(err)
	b.ok(b.store.PinPlugin(b.Context(), c.ID, fmt.Sprintf("%x", len(manifest)), []byte(manifest)))
}

// put has a run write notes.
func (b *bed) put(connection string, notes ...string) {
	b.Helper()
	b.runs++
	c, err := b.store.Connection(b.Context(), connection)
	b.ok(err)
	w, err := b.store.BeginRun(b.Context(), storage.NewRun{
		RunID: fmt.Sprintf("run%d", b.runs), ConnectionID: c.ID, Connector: "notes", Version: "1", ModuleSHA256: c.PinnedSHA256, Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "holder", Streams: []string{"notes"}, LeaseTTL: time.Minute,
	})
	b.ok(err)
	batch := w.NewBatch()
	for _, text := range notes {
		var note struct {
			ID string `json:"id"`
		}
		b.ok(json.Unmarshal([]byte(text), &note))
		batch.Add(0, []byte(note.ID), []byte(text), []byte("2026-03-01T12:00:00Z"), false)
	}
	b.ok(errors.Join(w.Write(b.Context(), batch), w.Finish(b.Context(), storage.Outcome{Status: "succeeded"})))
}

// sent is an answer.
type sent struct {
	status int
	head   http.Header
	text   string
	body   map[string]any
}

func (s *sent) string(name string) string {
	text, _ := s.body[name].(string)
	return text
}

// error returns the code and the parameter of a refusal.
func (s *sent) error() string {
	if flat, ok := s.body["error"].(string); ok {
		return flat
	}
	e, _ := s.body["error"].(map[string]any)
	code, _ := e["code"].(string)
	param, _ := e["param"].(string)
	return strings.TrimSpace(code + " " + param)
}

// sends returns the answer to a request from an address of its own.
func (b *bed) sends(method, path, body string, change ...func(*http.Request)) *sent {
	b.Helper()
	b.from++
	r := httptest.NewRequestWithContext(b.Context(), method, origin+path, strings.NewReader(body))
	r.RemoteAddr = fmt.Sprintf("192.0.%d.%d:999", b.from/250, b.from%250)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	b.check.Handler(b, b.face).ServeHTTP(w, r)
	text, err := io.ReadAll(w.Body)
	b.ok(err)
	s := &sent{status: w.Code, head: w.Header(), text: string(text)}
	if w.Code == http.StatusSeeOther {
		return s
	}
	if err := json.Unmarshal(text, &s.body); err != nil {
		b.Fatalf("%s %s is answered %d %s, want JSON", method, path, w.Code, text)
	}
	for _, name := range []string{"Request-Id", "X-Request-Id"} {
		if !strings.HasPrefix(w.Header().Get(name), "req_") {
			b.Errorf("%s %s: got the header %s %q, want an id", method, path, name, w.Header().Get(name))
		}
	}
	return s
}

func (b *bed) posts(path string, body any, change ...func(*http.Request)) *sent {
	b.Helper()
	text, err := json.Marshal(body)
	b.ok(err)
	return b.sends(http.MethodPost, path, string(text), change...)
}

type object map[string]any

// registers returns the id of a new client.
func (b *bed) registers(name string) string {
	b.Helper()
	got := b.posts(PathRegister, object{"client_name": name, "token_endpoint_auth_method": "none"})
	if got.status != http.StatusCreated || !strings.HasPrefix(got.string("client_id"), "cl_") {
		b.Fatalf("registering is answered %d %s, want a client", got.status, got.text)
	}
	return got.string("client_id")
}

// pushes has a client ask, and returns the request's address.
func (b *bed) pushes(client, details string) string {
	b.Helper()
	got := b.posts(PathPush, object{"client_id": client, "authorization_details": json.RawMessage(details)})
	if got.status != http.StatusCreated {
		b.Fatalf("pushing is answered %d %s, want a request", got.status, got.text)
	}
	return got.string("request_uri")
}

// connects has a client wait, and returns its polling code and the request.
func (b *bed) connects(body object) (polling, request string) {
	b.Helper()
	body["resource"] = origin
	got := b.posts(PathConnect, body)
	if got.status != http.StatusCreated {
		b.Fatalf("connecting is answered %d %s, want an attempt", got.status, got.text)
	}
	page, err := url.Parse(got.string("approval_url"))
	b.ok(err)
	request, err = grants.Find(b.Context(), b.owner, page.Query().Get("request_uri"))
	b.ok(err)
	return got.string("polling_code"), request
}

func (b *bed) polls(polling string) *sent {
	b.Helper()
	return b.posts(PathPoll, object{"polling_code": polling})
}

// approves reviews a request with choices and approves it.
func (b *bed) approves(request string, c grant.Choices) *grants.Approved {
	b.Helper()
	r, err := grants.Review(b.Context(), b.owner, request, c)
	b.ok(err)
	made, err := grants.Approve(b.Context(), b.owner, grants.Approval{RequestID: request, Revision: r.Revision})
	b.ok(err)
	return made
}

// granted goes the whole way, and returns the token and the grant.
func (b *bed) granted() (token, id string) {
	b.Helper()
	client := b.registers("An app")
	polling, request := b.connects(object{"client_id": client, "request_uri": b.pushes(client, asks)})
	b.approves(request, grant.Choices{})
	got := b.polls(polling)
	if got.status != http.StatusOK {
		b.Fatalf("after the approval, polling is answered %d %s, want a token", got.status, got.text)
	}
	return got.string("access_token"), got.string("grant_id")
}

// reads returns what a token's holder reads of the notes.
func (b *bed) reads(token string) (string, error) {
	b.Helper()
	who, err := b.desk.Admit(b.Context(), token)
	if err != nil {
		return "", err
	}
	page, err := b.read.List(b.Context(), who.Scope, read.List{From: read.From{Stream: "notes"}})
	if err != nil {
		return "", err
	}
	var all []string
	for i := range page.Records {
		all = append(all, string(page.Records[i].Data))
	}
	return strings.Join(all, " "), nil
}

// backedUp is all that a copy of the store has.
func (b *bed) backedUp() string {
	b.Helper()
	to := filepath.Join(b.TempDir(), "copy.sqlite")
	_, err := storage.Copy(b.Context(), storage.CopyOptions{From: b.store.Path(), To: to, Now: time.Now})
	b.ok(err)
	text, err := os.ReadFile(to) //nolint:gosec // the test's own
	b.ok(err)
	return string(text)
}

// encoded are the ways in which a secret may be written.
func encoded(secret string) []string {
	return []string{secret, hex.EncodeToString([]byte(secret)), strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "=")}
}

// keptText is all that the store's file has.
func (b *bed) keptText() string {
	b.Helper()
	var all []byte
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(b.store.Path() + end)
		if err != nil && !os.IsNotExist(err) {
			b.Fatal(err)
		}
		all = append(all, text...)
	}
	return string(all)
}
