package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The store of the figures of reads: records of about 500 bytes and 12 fields, in streams of
// two connections alike.
const readStreams = 4

const readManifest = `{"connector_id":"https://example.com/bench","connector_key":"bench","display_name":"Bench","version":"1","streams":[%s]}`

const readStream = `{"name":"s%d","semantics":"mutable_state","cursor_field":"at","consent_time_field":"at","primary_key":["id"],"schema":{"type":"object","required":["id"],"properties":{
"id":{"type":"string"},"at":{"type":"string","format":"date-time"},"n":{"type":"integer"},"kind":{"type":"string"},"ok":{"type":"boolean"},"title":{"type":"string"},"body":{"type":"string"},
"tag":{"type":"string"},"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"hidden":{"type":"string"}}},
"query":{"search":{"lexical_fields":["title","body","tag"]},"aggregations":{"count":true,"sum":["n"],"group_by":["kind"]}}}`

// shelf is a store with what reads it.
type shelf struct {
	store  *storage.Store
	owner  *owner.Owner
	desk   *desk.Desk
	server *records.Server
	reader *read.Reader
	runs   int
	looks  atomic.Int64
}

// clock goes on a minute with each look, so that no limit of a rate is met.
func (s *shelf) clock() time.Time { return time.Unix(60*s.looks.Add(1), 0) }

func newShelf(ctx context.Context, dir string) (*shelf, error) {
	s := new(shelf)
	var err error
	if s.store, err = storage.Open(ctx, storage.Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now}); err != nil {
		return nil, err
	}
	if _, err := s.store.Serve(ctx, holder.Self(), time.Hour, holder.Alive); err != nil { // as the host that answers does
		return nil, err
	}
	s.owner = owner.New(owner.Deps{Now: time.Now, Random: rand.Reader, Actor: owner.Actor{Face: owner.CommandLine}, Open: func(context.Context) (*storage.Store, error) { return s.store, nil }})
	if s.reader, err = s.owner.Reader(ctx); err != nil {
		return nil, err
	}
	s.desk = &desk.Desk{Store: s.store, Now: time.Now, Random: rand.Reader}
	s.server = records.New(records.Deps{
		Guard: &web.Guard{}, Callers: s.desk, Now: s.clock, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		Reader: func(context.Context) (*read.Reader, error) { return s.reader, nil }, Tell: s.owner.Tell,
	})
	return s, nil
}

var readConnections = []string{"one", "two"}

// fill writes so many records in all, and indexes them. Each has the word common, one in ten thousand rare.
func (s *shelf) fill(ctx context.Context, total int) error {
	for _, name := range readConnections {
		if err := s.connect(ctx, name); err != nil {
			return err
		}
	}
	if err := s.write(ctx, total); err != nil {
		return err
	}
	if err := s.writeLarge(ctx); err != nil {
		return err
	}
	_, err := s.reader.Index.All(ctx, 0)
	return err
}

// connect makes a connection of the connector.
func (s *shelf) connect(ctx context.Context, name string) error {
	var streams []string
	for i := range readStreams {
		streams = append(streams, fmt.Sprintf(readStream, i))
	}
	c, err := s.store.EnsureConnection(ctx, name, "bench")
	if err != nil {
		return err
	}
	return s.store.PinPlugin(ctx, c.ID, "m", fmt.Appendf(nil, readManifest, strings.Join(streams, ",")))
}

// write writes every record.
func (s *shelf) write(ctx context.Context, total int) error {
	for stream := range readStreams {
		for _, name := range readConnections {
			if err := s.writeStream(ctx, name, fmt.Sprint("s", stream), total/len(readConnections)/readStreams, "x"); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin begins a run.
func (s *shelf) begin(ctx context.Context, connection, stream string) (*storage.RunWriter, error) {
	s.runs++
	c, err := s.store.Connection(ctx, connection)
	if err != nil {
		return nil, err
	}
	return s.store.BeginRun(ctx, storage.NewRun{
		RunID: fmt.Sprint("run", s.runs), ConnectionID: c.ID, Connector: "bench", Version: "1", ModuleSHA256: "m", Mode: abi.ModeIncremental, Bookmark: storage.BookmarkIncremental,
		Holder: "bench", Streams: []string{stream}, LeaseTTL: time.Hour,
	})
}

// writeStream writes the first records of a stream, which are the same each time but for their hidden field.
func (s *shelf) writeStream(ctx context.Context, connection, stream string, n int, hidden string) error {
	random := mathrand.New(mathrand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		words[i] = fmt.Sprintf("w%x", random.Uint32())
	}
	w, err := s.begin(ctx, connection, stream)
	if err != nil {
		return err
	}
	for i := 0; i < n; {
		batch := w.NewBatch()
		for range min(1000, n-i) {
			text := []string{"common"}
			if i%10_000 == 0 {
				text = append(text, "rare")
			}
			for range 18 {
				text = append(text, words[random.IntN(len(words))])
			}
			at := time.Unix(1_600_000_000+random.Int64N(100_000_000), 0).UTC().Format(time.RFC3339)
			batch.Add(0, fmt.Appendf(nil, "%s-%08d", connection, i), fmt.Appendf(nil,
				`{"id":"%s-%08d","at":%q,"n":%d,"kind":"k%d","ok":true,"title":"record %d","body":%q,"tag":"t%d","a":"aaaaaaaaaaaaaaaa","b":"bbbbbbbbbbbbbbbb","c":"cccccccccccccccc","hidden":%q}`,
				connection, i, at, i, i%10, i, strings.Join(text, " "), i%7, hidden), []byte("2026-01-02T03:04:05Z"), false)
			i++
		}
		if err := w.Write(ctx, batch); err != nil {
			return err
		}
	}
	return w.Finish(ctx, storage.Outcome{Status: "succeeded"})
}

// writeLarge writes a record whose text is about as long as one may be.
func (s *shelf) writeLarge(ctx context.Context) error {
	w, err := s.begin(ctx, readConnections[0], "s3")
	if err != nil {
		return err
	}
	batch := w.NewBatch()
	batch.Add(0, []byte("large"), fmt.Appendf(nil, `{"id":"large","body":%q}`, strings.Repeat("a word ", 140_000)), []byte("2026-01-02T03:04:05Z"), false)
	if err := w.Write(ctx, batch); err != nil {
		return err
	}
	return w.Finish(ctx, storage.Outcome{Status: "succeeded"})
}

// granted makes a grant for a new app, and returns its token.
func (s *shelf) granted(ctx context.Context, since *time.Time) (string, error) {
	asked, err := grants.Ask(ctx, s.owner, "bench")
	if err != nil {
		return "", err
	}
	made, err := s.approve(ctx, asked.ID, since)
	if err == nil && made.Token == "" {
		err = errors.New("the grant has no token")
	}
	if err != nil {
		return "", err
	}
	return made.Token, nil
}

// approve grants a request all streams without the hidden field.
func (s *shelf) approve(ctx context.Context, id string, since *time.Time) (*grants.Approved, error) {
	c := grant.Choices{Connector: "bench", Connections: readConnections, Since: since, Expires: "never"}
	for i := range readStreams {
		c.Streams = append(c.Streams, grant.Choice{Name: fmt.Sprint("s", i), Fields: []string{"id", "at", "n", "kind", "ok", "title", "body", "tag", "a", "b", "c"}})
	}
	r, err := grants.Review(ctx, s.owner, id, c)
	if err != nil {
		return nil, err
	}
	return grants.Approve(ctx, s.owner, grants.Approval{RequestID: id, Revision: r.Revision, Shows: true})
}
