package storage

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// model is what the records are meant to do, in memory.
type model struct {
	seq     int64
	records map[string]Record // stream/key
	counts  []StreamCounts
}

func (m *model) put(stream int, key, data string, del bool) {
	c, at := &m.counts[stream], fmt.Sprintf("%d/%s", stream, key)
	old, known := m.records[at]
	switch {
	case del && known && old.Deleted, !del && known && !old.Deleted && db.SameJSON(old.Data, []byte(data)):
		c.Unchanged++
		return
	case del:
		c.Deleted++
	case known:
		c.Changed++
	default:
		c.New++
	}
	m.seq++
	r := Record{Seq: m.seq, Key: key, Deleted: del}
	if !del {
		r.Data = []byte(data)
	}
	m.records[at] = r
}

// TestRecordsModel compares the store with the model over random batches, runs
// and reopenings: the sequence grows with every change and with nothing else,
// and an unchanged record keeps its own.
func TestRecordsModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := anew(t, filepath.Join(dir, fmt.Sprint(n)))
		ctx := t.Context()
		open := func() *Store {
			s, err := Open(ctx, Options{Path: path, Now: time.Now, unsynced: true})
			if err != nil {
				rt.Fatal(err)
			}
			return s
		}
		s := open()
		defer func() { _ = s.Close() }()
		m := &model{records: map[string]Record{}, counts: make([]StreamCounts, 2)}
		streams := []string{"s0", "s1"}
		run := 0
		begin := func() *RunWriter {
			c, err := s.EnsureConnection(ctx, "c", "c")
			if err != nil {
				rt.Fatal(err)
			}
			run++
			w, err := s.BeginRun(ctx, NewRun{
				RunID: fmt.Sprint(run), ConnectionID: c.ID, Bookmark: BookmarkIncremental, Streams: streams, LeaseTTL: time.Hour,
				HolderAlive: func(string) bool { return false },
			})
			if err != nil {
				rt.Fatal(err)
			}
			m.counts = make([]StreamCounts, 2)
			return w
		}
		w := begin()
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0:
				if err := w.Finish(ctx, Outcome{Status: "succeeded"}); err != nil {
					rt.Fatal(err)
				}
				w = begin()
			case 1:
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
				s = open()
				w = begin()
			default:
				b := w.NewBatch()
				for range rapid.IntRange(1, 30).Draw(rt, "rows") {
					stream := rapid.IntRange(0, 1).Draw(rt, "stream")
					key := rapid.SampledFrom([]string{"a", "b", "c", "ü", "'", "[\"x\",\"y\"]"}).Draw(rt, "key")
					data := rapid.SampledFrom([]string{"1", "2", `{"t":"it's"}`, `{"a":1,"b":2.0}`, `{"b":2.0,"a":1}`, `{"a":2,"b":1.0}`}).Draw(rt, "data")
					del := rapid.IntRange(0, 3).Draw(rt, "op") == 0
					b.Add(stream, []byte(key), []byte(data), []byte("t"), del)
					m.put(stream, key, data, del)
				}
				if err := w.Write(ctx, b); err != nil {
					rt.Fatal(err)
				}
				if rapid.Bool().Draw(rt, "flush") {
					if err := w.Flush(ctx); err != nil {
						rt.Fatal(err)
					}
				}
			}
		}
		if err := w.Flush(ctx); err != nil {
			rt.Fatal(err)
		}
		if got, want := fmt.Sprint(w.Counts()), fmt.Sprint(m.counts); got != want {
			rt.Fatalf("counts %s, want %s", got, want)
		}
		if got, want := recordsOf(rt, s, t, streams), m.text(); got != want {
			rt.Fatalf("records\n%s\nwant\n%s", got, want)
		}
		if r, err := s.Check(ctx); err != nil || len(r.Problems) > 0 {
			rt.Fatal(r, err)
		}
	})
}

func (m *model) text() string {
	var lines []string
	for at, r := range m.records {
		lines = append(lines, at[:1]+" "+show(r))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func recordsOf(rt *rapid.T, s *Store, t *testing.T, streams []string) string {
	var lines []string
	for i, name := range streams {
		if err := s.EachRecord(t.Context(), "c", name, func(r Record) error {
			lines = append(lines, fmt.Sprintf("%d %s", i, show(r)))
			return nil
		}); err != nil {
			rt.Fatal(err)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
