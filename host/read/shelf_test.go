package read

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// manifest declares the streams of the tests' connections.
const manifest = `{"streams":[{"name":"notes","cursor_field":"at","consent_time_field":"at","schema":{"required":["id"],"properties":{
"id":{"type":"string"},"at":{"type":["string","null"],"format":"date-time"},"n":{"type":"integer"},"ok":{"type":"boolean"},"title":{"type":"string"},"body":{"type":"string"},"list":{"type":"array"}}},
"query":{"search":{"lexical_fields":["title","body"]},"range_filters":{"n":["gte","gt","lte","lt"],"at":["gte","gt","lte","lt"]}}},
{"name":"plain","schema":{"properties":{"id":{"type":"string"},"n":{"type":"number"}}}}]}`

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// shelf is a store with a reader.
type shelf struct {
	testing.TB
	*Reader

	now  time.Time
	at   string // when records are emitted; "": now
	runs int
}

func (s *shelf) emitted() string { return cmp.Or(s.at, s.now.Format(time.RFC3339)) }

func migrated(dsn string) error {
	s, err := storage.Open(context.Background(), storage.Options{Path: dsn, Now: time.Now})
	if err != nil {
		return err
	}
	return s.Close()
}

// newShelf opens a store with the connections named, which have accepted manifest.
func newShelf(t testing.TB, connections ...string) *shelf {
	t.Helper()
	return openShelf(t, pgtest.Place(t, fresh.Store(t, filepath.Join(t.TempDir(), "pdpp.sqlite")), migrated), connections...)
}

func openShelf(t testing.TB, path string, connections ...string) *shelf {
	t.Helper()
	s := &shelf{TB: t, now: began}
	made := 0
	store, err := storage.Open(t.Context(), storage.Options{Path: path, Now: func() time.Time { return s.now }, NewID: func() string {
		made++
		return fmt.Sprintf("%032x", made) // so that the order of connections is the same in two stores
	}})
	s.ok(err)
	t.Cleanup(func() { _ = store.Close() })
	s.Reader = &Reader{Store: store, Index: index.New(store, rand.Reader), Now: func() time.Time { return s.now }, Random: rand.Reader, Ranked: new(Rankings)}
	for _, name := range connections {
		s.accept(name, manifest)
	}
	return s
}

func (s *shelf) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) code(err error, want abi.Code) {
	s.Helper()
	if got := abi.CodeOf(err); got != want {
		s.Errorf("got %v, want %s", err, want)
	}
}

// accept makes a connection and has it accept a manifest.
func (s *shelf) accept(name, manifest string) string {
	s.Helper()
	c, err := s.Store.EnsureConnection(s.Context(), name, "demo")
	s.ok(err)
	s.ok(s.Store.PinPlugin(s.Context(), c.ID, fmt.Sprintf("%x", len(manifest)), []byte(manifest)))
	return c.ID
}

// put has a run write records of a stream: "key" and JSON, or "-key" and nothing.
func (s *shelf) put(connection, stream string, records ...string) {
	s.Helper()
	s.runs++
	c, err := s.Store.Connection(s.Context(), connection)
	s.ok(err)
	w, err := s.Store.BeginRun(s.Context(), storage.NewRun{
		RunID: fmt.Sprintf("run%d", s.runs), ConnectionID: c.ID, Connector: "demo", Version: "1", ModuleSHA256: c.PinnedSHA256, Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "holder", Streams: []string{stream}, LeaseTTL: time.Minute,
	})
	s.ok(err)
	b := w.NewBatch()
	for i := 0; i < len(records); i += 2 {
		key, gone := strings.CutPrefix(records[i], "-")
		b.Add(0, []byte(key), []byte(records[i+1]), []byte(s.emitted()), gone)
	}
	s.ok(errors.Join(w.Write(s.Context(), b), w.Finish(s.Context(), storage.Outcome{Status: "succeeded"})))
}

// keys lists a stream to its end, in pages of a size.
func (s *shelf) keys(l List) (keys []string) {
	s.Helper()
	for {
		page, err := s.List(s.Context(), OwnerScope(), l)
		s.ok(err)
		for i := range page.Records {
			keys = append(keys, page.Records[i].Key)
		}
		if l.Cursor = page.Next; page.Next == "" {
			return keys
		}
	}
}

func (s *shelf) same(got, want []string) {
	s.Helper()
	if !slices.Equal(got, want) {
		s.Errorf("got  %q\nwant %q", got, want)
	}
}

// sound holds the read state against the records.
func (s *shelf) sound() {
	s.Helper()
	streams, all, err := s.Store.CheckRead(s.Context())
	s.ok(err)
	if len(streams) > 0 || all {
		s.Errorf("the read state of streams %v is not what the records say (%v)", streams, all)
	}
}
