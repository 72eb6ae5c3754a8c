package read

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
)

var (
	benchRecords = flag.Int("records", 100_000, "how many records the benchmarks have")
	benchFolder  = flag.String("store", "", "where the store of the benchmarks is kept between them")
)

// shelfOfMany is a store of many notes of about 500 bytes in one connection, indexed.
func shelfOfMany(b *testing.B) *Reader {
	b.Helper()
	folder := *benchFolder
	if folder == "" {
		folder = b.TempDir()
	}
	path := filepath.Join(folder, fmt.Sprint("read", *benchRecords, ".sqlite"))
	_, err := os.Stat(path)
	fresh := err != nil
	store, err := storage.Open(b.Context(), storage.Options{Path: path, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	r := &Reader{Store: store, Index: index.New(store, rand.Reader), Now: time.Now, Random: rand.Reader}
	if fresh {
		if err := fillShelf(b.Context(), store, *benchRecords); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := r.Index.All(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	return r
}

// fillShelf writes notes whose time is in no order of their keys. Each has the word common,
// one in a hundred frequent, one in ten thousand rare.
func fillShelf(ctx context.Context, store *storage.Store, n int) error {
	c, err := store.EnsureConnection(ctx, "many", "demo")
	if err != nil {
		return err
	}
	if err := store.PinPlugin(ctx, c.ID, "m", []byte(manifest)); err != nil {
		return err
	}
	return fillNotes(ctx, store, c.ID, n, "fill", true)
}

// fillNotes writes the first n notes in one run.
func fillNotes(ctx context.Context, store *storage.Store, connection string, n int, run string, ok bool) error {
	w, err := store.BeginRun(ctx, storage.NewRun{
		RunID: run, ConnectionID: connection, Connector: "demo", Version: "1", ModuleSHA256: "m", Mode: abi.ModeIncremental, Bookmark: storage.BookmarkIncremental,
		Holder: "bench", Streams: []string{"notes"}, LeaseTTL: time.Hour,
	})
	if err != nil {
		return err
	}
	random := mathrand.New(mathrand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		words[i] = fmt.Sprintf("w%x", random.Uint32())
	}
	for i := 0; i < n; {
		b := w.NewBatch()
		for range 1000 {
			text := []string{"common"}
			if i%100 == 0 {
				text = append(text, "frequent")
			}
			if i%10_000 == 0 {
				text = append(text, "rare")
			}
			for range 40 {
				text = append(text, words[random.IntN(len(words))])
			}
			at := time.Unix(1_600_000_000+random.Int64N(100_000_000), 0).UTC().Format(time.RFC3339)
			b.Add(0, fmt.Appendf(nil, "note-%08d", i), fmt.Appendf(nil, `{"id":"note-%08d","at":%q,"n":%d,"ok":%v,"title":"note %d","body":%q}`, i, at, i, ok, i, strings.Join(text, " ")),
				[]byte("2026-01-02T03:04:05Z"), false)
			i++
		}
		if err := w.Write(ctx, b); err != nil {
			return err
		}
	}
	return w.Finish(ctx, storage.Outcome{Status: "succeeded"})
}

// timed runs do b.N times, and reports the times that half and 99 of 100 keep to.
func timed(b *testing.B, do func() error) {
	b.Helper()
	if err := do(); err != nil { // warm
		b.Fatal(err)
	}
	times := make([]time.Duration, 0, b.N)
	for b.Loop() {
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}

var errShort = errors.New("the answer is too short")

// OC-14: a page of a stream of many records.
func BenchmarkPage(b *testing.B) {
	r := shelfOfMany(b)
	page := func(b *testing.B, l List) {
		timed(b, func() error {
			page, err := r.List(b.Context(), OwnerScope(), l)
			if err == nil && len(page.Records) < l.Limit {
				err = errShort
			}
			return err
		})
	}
	first := List{From: From{Stream: "notes"}, Limit: 100}
	far := first
	for range 999 {
		p, err := r.List(b.Context(), OwnerScope(), far)
		if err != nil {
			b.Fatal(err)
		}
		far.Cursor = p.Next
	}
	fields, filtered := first, first
	fields.Fields = []string{"id", "at", "title"}
	filtered.Filters = []Filter{{"n", Below, fmt.Sprint(*benchRecords / 10)}}
	counted := first
	counted.Count = true
	for name, l := range map[string]List{"first": first, "1000th": far, "three fields": fields, "a tenth filtered": filtered, "counted": counted} {
		b.Run(name, func(b *testing.B) { page(b, l) })
	}
}

// RD-20.3: what a page of 100 leads to costs by what is shown of it, and not by how large the
// stream is or how many records refer to the same one.
func BenchmarkExpand(b *testing.B) {
	for name, albums := range map[string]int{"of 100 parents": 100, "of one parent": 1} {
		b.Run(name, func(b *testing.B) {
			s := relatedShelf(b, "one")
			var rows []string
			for i := range 100 {
				rows = append(rows, fmt.Sprint("a", i), fmt.Sprintf(`{"id":"a%d","year":%d}`, i, i))
			}
			s.put("one", "albums", rows...)
			rows = nil
			for i := range *benchRecords {
				rows = append(rows, fmt.Sprint("s", i), fmt.Sprintf(`{"id":"s%d","n":%d,"album_id":"a%d","body":%q}`, i, i, i%albums, strings.Repeat("text ", 80)))
			}
			s.put("one", "songs", rows...)
			l := List{From: From{Stream: "albums"}, Limit: 100}
			for name, e := range map[string]Expand{"unexpanded": {}, "10 of each": {Names: []string{"songs"}, Limits: map[string]int{"songs": 10}}} {
				l.Expand = e
				b.Run(name, func(b *testing.B) {
					timed(b, func() error { _, err := s.List(b.Context(), OwnerScope(), l); return err })
				})
			}
		})
	}
}

// BenchmarkWindow reads a part of a short text, and of the longest one that a record may have.
func BenchmarkWindow(b *testing.B) {
	s := newShelf(b, "c")
	for _, words := range []int{100, abi.MaxRecordBytes/5 - 20} {
		name := fmt.Sprint(5*words, " characters")
		s.put("c", "notes", name, fmt.Sprintf(`{"id":%q,"list":[],"title":%q}`, name, strings.Repeat("text ", words)))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			timed(b, func() error {
				_, err := s.Window(b.Context(), OwnerScope(), Window{From: From{Stream: "notes"}, Key: name, Field: "title", Offset: words * 5 / 2})
				return err
			})
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	r := shelfOfMany(b)
	for _, q := range []string{"common", "frequent", "rare", `"common frequent"`, "comm*", "common rare", "nothing"} {
		b.Run(q, func(b *testing.B) {
			timed(b, func() error {
				_, err := r.Search(b.Context(), OwnerScope(), Search{Text: q})
				return err
			})
		})
	}
}

// RD-27.3: the ranking of the newest matches, for an owner and under a grant.
func BenchmarkRank(b *testing.B) {
	r := shelfOfMany(b)
	r.Ranked = new(Rankings)
	c, err := r.Store.Connection(b.Context(), "many")
	if err != nil {
		b.Fatal(err)
	}
	client := &Scope{Streams: []StreamScope{{Name: "notes", Connections: []string{c.ID}, Fields: []string{"id", "title", "body"}}}}
	for name, scope := range map[string]*Scope{"owner": OwnerScope(), "client": client} {
		for _, q := range []string{"common", "rare"} {
			b.Run(name+"/"+q, func(b *testing.B) {
				timed(b, func() error {
					_, err := r.Rank(b.Context(), scope, Search{Text: q})
					return err
				})
			})
		}
	}
}

func BenchmarkOverview(b *testing.B) {
	r := shelfOfMany(b)
	b.Run("streams", func(b *testing.B) {
		timed(b, func() error { _, _, err := r.Streams(b.Context(), OwnerScope(), Overview{}); return err })
	})
	b.Run("days", func(b *testing.B) {
		timed(b, func() error {
			_, _, err := r.Days(b.Context(), OwnerScope(), Overview{}, time.Unix(1_600_000_000, 0), time.Unix(1_700_000_000, 0))
			return err
		})
	})
}

// The indexing of all records, each with a text of 42 words, and without.
func BenchmarkIndex(b *testing.B) {
	r := shelfOfMany(b)
	c, err := r.Store.Connection(b.Context(), "many")
	if err != nil {
		b.Fatal(err)
	}
	for name, declares := range map[string]string{"with words": manifest, "without words": strings.Replace(manifest, "lexical_fields", "none", 1)} {
		b.Run(name, func(b *testing.B) {
			if err := r.Store.PinPlugin(b.Context(), c.ID, name, []byte(declares)); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := r.Store.ResetRead(b.Context()); err != nil {
					b.Fatal(err)
				}
				if _, err := index.New(r.Store, rand.Reader).All(b.Context(), 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(*benchRecords*b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkIndexChanges indexes records again of which a field without words has changed.
func BenchmarkIndexChanges(b *testing.B) {
	r := shelfOfMany(b)
	c, err := r.Store.Connection(b.Context(), "many")
	if err != nil {
		b.Fatal(err)
	}
	x, n, ok := index.New(r.Store, rand.Reader), min(*benchRecords, 10_000), true
	for round := 0; b.Loop(); round++ {
		b.StopTimer()
		ok = !ok
		if err := fillNotes(b.Context(), r.Store, c.ID, n, fmt.Sprint("change", round), ok); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := x.All(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "records/s")
}
