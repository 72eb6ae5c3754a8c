package data

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const manifest = `{"connector_key":"demo","streams":[{"name":"notes","cursor_field":"at","schema":{"required":["id"],"properties":{
"id":{"type":"string"},"at":{"type":"string","format":"date-time"},"title":{"type":"string"}}},"query":{"search":{"lexical_fields":["title"]}}}]}`

// ownerOfNotes has a connection with three notes, of which one was deleted.
func ownerOfNotes(t *testing.T) *owner.Owner {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	path := fresh.Store(t, filepath.Join(t.TempDir(), "pdpp.sqlite"))
	o := owner.New(owner.Deps{Now: now, Random: rand.Reader, Actor: owner.Actor{Face: owner.CommandLine}, Open: func(ctx context.Context) (*storage.Store, error) {
		return storage.Open(ctx, storage.Options{Path: path, Now: now})
	}})
	t.Cleanup(func() { _ = o.Close() })
	ctx := t.Context()
	s, err := o.Store(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.EnsureConnection(ctx, "c", "demo")
	if err != nil {
		t.Fatal(err)
	}
	err = s.PinPlugin(ctx, c.ID, "m", []byte(manifest))
	for i, gone := range []bool{false, true} {
		w, berr := s.BeginRun(ctx, storage.NewRun{
			RunID: fmt.Sprint("run", i), ConnectionID: c.ID, Connector: "demo", Version: "1", ModuleSHA256: "m", Mode: abi.ModeIncremental,
			Bookmark: storage.BookmarkIncremental, Holder: "h", Streams: []string{"notes"}, LeaseTTL: time.Minute,
		})
		if err = errors.Join(err, berr); err != nil {
			t.Fatal(err)
		}
		b := w.NewBatch()
		for _, key := range []string{"a", "b", "z"} {
			if key == "z" || !gone {
				b.Add(0, []byte(key), fmt.Appendf(nil, `{"id":%q,"at":"2025-03-0%dT00:00:00Z","title":"a <b>red</b> %s"}`, key, key[0]%7+1, key), []byte("2026-01-02T03:04:05Z"), gone)
			}
		}
		err = errors.Join(w.Write(ctx, b), w.Finish(ctx, storage.Outcome{Status: "succeeded"}))
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The operations of the data pages give what is stored, and no more of it than was asked for.
func TestOperations(t *testing.T) {
	t.Parallel()
	o, ctx := ownerOfNotes(t), t.Context()
	page, err := Records(ctx, o, RecordsRequest{Stream: "notes", Fields: []string{"title"}, Limit: 1, Count: true})
	if err != nil || len(page.Records) != 1 || page.Next == "" || *page.Count != 2 || string(page.Records[0].Data) != `{"id":"a","title":"a <b>red</b> a"}` {
		t.Errorf("got %+v, %v, want a of two records", page, err)
	}
	page, err = Records(ctx, o, RecordsRequest{Stream: "notes", Connections: []string{"c"}, Order: "asc", Filters: []Filter{{"id", "eq", "b"}}})
	if err != nil || len(page.Records) != 1 || page.Records[0].Key != "b" || page.Next != "" {
		t.Errorf("got %+v, %v, want b alone", page, err)
	}
	for key, deleted := range map[string]bool{"a": false, "z": true} {
		d, err := RecordOf(ctx, o, "c", "notes", key)
		if err != nil || d.Deleted != deleted || d.Key != key || len(d.Changes) != 1 || !d.Earlier || (d.Data == nil) != deleted {
			t.Errorf("got %+v, %v, want %s", d, err, key)
		}
	}
	if _, err := RecordOf(ctx, o, "c", "notes", "never"); abi.CodeOf(err) != abi.CodeRecordUnknown {
		t.Errorf("got %v, want %s", err, abi.CodeRecordUnknown)
	}
	found, err := Search(ctx, o, SearchRequest{Text: "RED a"})
	if err != nil || len(found.Hits) != 2 || found.Hits[0].Snippet != "a <b>red</b> b" || found.Hits[0].Field != "title" {
		t.Errorf("got %+v, %v, want both notes, as they are", found, err)
	}
	sizes, err := Streams(ctx, o, Where{})
	if want := (StreamSize{"c", page.Records[0].ConnectionID, "demo", "notes", 2, "2025-03-01", "2025-03-07", "2026-01-02T03:04:05Z"}); err != nil || len(sizes.Streams) != 1 || sizes.Streams[0] != want {
		t.Errorf("got %+v, %v, want %+v", sizes, err, want)
	}
	days, err := Days(ctx, o, Where{Stream: "notes"}, time.Date(2025, 3, 2, 0, 0, 0, 0, time.UTC), time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC))
	if err != nil || len(days.Days) != 1 {
		t.Errorf("got %+v, %v, want one day", days, err)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	o := ownerOfNotes(t)
	for _, c := range []struct {
		format  string
		deleted bool
		lines   int
		first   string
	}{{"jsonl", false, 2, `{"stream":"notes","key":"a"`}, {"jsonl", true, 3, `{"stream":"notes","key":"a"`}, {"csv", false, 3, "_key,_emitted_at,_deleted,id,at,title"}} {
		var b bytes.Buffer
		n, err := Export(t.Context(), o, ExportRequest{Connection: "c", Stream: "notes", Format: c.format, Deleted: c.deleted}, &b)
		if err != nil || strings.Count(b.String(), "\n") != c.lines || !strings.HasPrefix(b.String(), c.first) {
			t.Errorf("%+v: wrote %d, %v:\n%s", c, n, err, b.String())
		}
	}
	for want, r := range map[abi.Code]ExportRequest{read.CodeRequest: {Connection: "c", Stream: "notes", Format: "xml"}, abi.CodeStreamUnknown: {Connection: "c", Stream: "none", Format: "csv"}} {
		if _, err := Export(t.Context(), o, r, &bytes.Buffer{}); abi.CodeOf(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
