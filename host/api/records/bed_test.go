package records

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/artifact"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/described"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

const manifest = `{"connector_id":"https://example.com/demo","display_name":"Demo","streams":[{"name":"notes","cursor_field":"at","consent_time_field":"at","schema":{"required":["id"],"properties":{
"id":{"type":"string"},"at":{"type":"string","format":"date-time"},"n":{"type":"integer"},"title":{"type":"string"},"secret":{"type":"string"}}},
"query":{"range_filters":{"n":["gte","lt"]},"search":{"lexical_fields":["title","secret"]},"aggregations":{"sum":["n"],"group_by":["title","secret"],"group_by_time":["at"]}}},{"name":"other","schema":{"properties":{"id":{"type":"string"}}}}]}`

const at = "127.0.0.1:8377"

// grants are the callers of a test: the clients by their tokens.
type grants map[string]*read.Caller

func (g grants) Caller(_ context.Context, token string) (*read.Caller, error) {
	switch token {
	case "revoked":
		return &read.Caller{Client: "c", Grant: "gone", Token: "t"}, abi.NewError(read.CodeGrantRevoked, "the grant was revoked", "")
	case "legacy":
		return nil, abi.NewError(read.CodeGrantLegacy, "the grant has an old form", "")
	}
	if c := g[token]; c != nil {
		return c, nil
	}
	return nil, abi.NewError(read.CodeTokenUnknown, "unknown", "")
}

// bed is a resource server over a store of two connections.
type bed struct {
	testing.TB

	server *Server
	check  *described.Document
	store  *storage.Store
	ids    map[string]string
	feeds  map[string]*storage.SourceInstance // the devices of the connections
	owner  string                             // a token
	runs   int
	asked  atomic.Int64
}

// clock goes on a minute with each look, so that no limit is met by accident.
func (b *bed) clock() time.Time { return time.Unix(60*b.asked.Add(1), 0) }

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
	b := &bed{TB: t, ids: map[string]string{}, feeds: map[string]*storage.SourceInstance{}, check: described.New(t, text, err)}
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	b.store, err = storage.Open(t.Context(), storage.Options{Path: pgtest.Place(t, fresh.Store(t, filepath.Join(t.TempDir(), "pdpp.sqlite")), migrated), Now: now})
	b.ok(err)
	t.Cleanup(func() { _ = b.store.Close() })
	o := owner.New(owner.Deps{
		Now: now, Random: rand.Reader, Actor: owner.Actor{Face: owner.CommandLine}, Open: func(context.Context) (*storage.Store, error) { return b.store, nil },
	})
	_, err = o.Store(t.Context())
	b.ok(err)
	for _, name := range []string{"one", "two"} {
		b.feeds[name] = artifact.Source(t, b.store, name, "demo")
		c, err := b.store.EnsureConnection(t.Context(), name, "demo")
		b.ok(err)
		b.ids[name] = c.ID
		b.ok(b.store.PinPlugin(t.Context(), c.ID, "aa", []byte(manifest)))
	}
	made, err := access.CreateToken(t.Context(), o, access.NewToken{Name: "test", Scope: access.ScopeRead})
	b.ok(err)
	b.owner = made.Secret
	as := func(a owner.Actor) *owner.Owner { return o.As(a, nil) }
	g := &web.Guard{As: as, Listening: netip.MustParseAddrPort(at)}
	client := &read.Caller{Client: "c", Grant: "g", Scope: &read.Scope{Streams: []read.StreamScope{{Name: "notes", Connections: []string{b.ids["one"]}, Fields: []string{"id", "title"}}}}}
	b.server = New(Deps{
		Guard: g, Callers: read.AnyOf(grants{"client": client}, OwnerTokens(as)), Now: b.clock, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler), Metadata: "/.well-known/x",
		Reader: func(ctx context.Context) (*read.Reader, error) {
			return as(owner.Actor{Face: owner.APIToken}).Reader(ctx)
		},
		Tell: o.Tell,
	})
	return b
}

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// put has a run write records: "key" and JSON, or "-key" and nothing.
func (b *bed) put(connection, stream string, records ...string) {
	b.Helper()
	b.runs++
	w, err := b.store.BeginRun(b.Context(), storage.NewRun{
		RunID: fmt.Sprintf("run%d", b.runs), ConnectionID: b.ids[connection], Connector: "demo", Version: "1", ModuleSHA256: "aa", Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "holder", Streams: []string{stream}, LeaseTTL: time.Minute,
	})
	b.ok(err)
	batch := w.NewBatch()
	for i := 0; i < len(records); i += 2 {
		key, gone := strings.CutPrefix(records[i], "-")
		batch.Add(0, []byte(key), []byte(records[i+1]), []byte("2026-01-02T03:04:05Z"), gone)
	}
	b.ok(errors.Join(w.Write(b.Context(), batch), w.Finish(b.Context(), storage.Outcome{Status: "succeeded"})))
}

// answer is what a request was answered.
type answer struct {
	status int
	head   http.Header
	body   string

	Data []struct {
		ID           string          `json:"id"`
		Name         string          `json:"name"`
		Data         json.RawMessage `json:"data"`
		Deleted      bool            `json:"deleted"`
		RecordCount  *int64          `json:"record_count"`
		ConnectionID string          `json:"connection_id"`
	} `json:"data"`
	HasMore bool   `json:"has_more"`
	Since   string `json:"next_changes_since"`
	Cursor  string `json:"next_cursor"`
	Links   struct {
		Next *string `json:"next"`
	} `json:"links"`
	Meta struct {
		Count struct {
			Kind  string `json:"kind"`
			Value int64  `json:"value"`
		} `json:"count"`
		Warnings []struct {
			Code string `json:"code"`
		} `json:"warnings"`
	} `json:"meta"`
	Error struct {
		Type      string `json:"type"`
		Code      string `json:"code"`
		Message   string `json:"message"`
		Param     string `json:"param"`
		RequestID string `json:"request_id"`
		Available []struct {
			ID string `json:"connection_id"`
		} `json:"available_connections"`
		RetryWith string `json:"retry_with"`
		Metadata  string `json:"resource_metadata"`
	} `json:"error"`
}

// get asks as the holder of a token; "": of none.
func (b *bed) get(token, path string, change ...func(*http.Request)) *answer {
	b.Helper()
	w := b.raw(token, path, change...)
	a := &answer{status: w.Code, head: w.Header(), body: w.Body.String()}
	if found := strings.Contains(a.body, `"count_accuracy"`); found {
		a.search()
	} else if single := strings.HasPrefix(a.body, `{"object":"record`); !single {
		if err := json.Unmarshal(w.Body.Bytes(), a); err != nil {
			b.Fatalf("%s: %v in %s", path, err, a.body)
		}
	}
	return a
}

func (b *bed) raw(token, path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	b.Helper()
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+at+path, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, fn := range change {
		fn(r)
	}
	w := httptest.NewRecorder()
	b.check.Handler(b, b.server).ServeHTTP(w, r)
	return w
}

// search reads the parts of a search that a test goes on with: its count is a number.
func (a *answer) search() {
	var is struct {
		HasMore bool `json:"has_more"`
		Links   struct {
			Next *string `json:"next"`
		} `json:"links"`
	}
	if json.Unmarshal([]byte(a.body), &is) == nil {
		a.HasMore, a.Links.Next = is.HasMore, is.Links.Next
	}
}

// ids are the keys of an answer's records.
func (a *answer) ids() string {
	var all []string
	for i := range a.Data {
		id := a.Data[i].ID
		if a.Data[i].Deleted {
			id = "-" + id
		}
		all = append(all, id)
	}
	return strings.Join(all, " ")
}
