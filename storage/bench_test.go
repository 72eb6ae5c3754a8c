package storage

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/record"
)

// benchRecord is one of the benchmark's records: about 500 bytes, 12 properties.
type benchRecord struct{ key, data, when []byte }

func benchRecords(n int) []benchRecord {
	out := make([]benchRecord, n)
	x := uint64(0x9e3779b97f4a7c15)
	for i := range out {
		var raw [16]byte
		for j := range 2 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			binary.BigEndian.PutUint64(raw[j*8:], x)
		}
		key := hex.EncodeToString(raw[:])
		out[i] = benchRecord{[]byte(key), fmt.Appendf(nil,
			`{"id":"%s","session_id":"%s","parent":"%s","role":"assistant","type":"message","model":"model-a","tokens":%d,"cost":1.25,"sidechain":false,"cwd":"/home/someone/projects/something/deep/inside","timestamp":"2026-01-02T03:04:05Z","text":"%s"}`,
			key, key[:20], key[5:25], i, "The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. The quick brown fox."),
			[]byte("2026-01-02T03:04:05.678Z")}
	}
	return out
}

// benchBare is the yardstick: a prepared insert through database/sql into a
// table of the same shape, 5,000 rows a transaction, the same settings.
func benchBare(b *testing.B, path string, recs []benchRecord, insert string) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=page_size(8192)&_pragma=synchronous(FULL)&_pragma=cache_size(-8192)"+
		"&_pragma=wal_autocheckpoint(10000)&_journal_mode=WAL")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE records (seq INTEGER PRIMARY KEY, stream_id INTEGER NOT NULL, key TEXT NOT NULL, data TEXT,
deleted INTEGER NOT NULL, emitted_at TEXT NOT NULL, run_pk INTEGER NOT NULL, UNIQUE (stream_id, key))`); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	b.StartTimer()
	defer b.StopTimer()
	for at := 0; at < len(recs); at += 5000 {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			b.Fatal(err)
		}
		insertBare(b, tx, insert, at, recs[at:min(at+5000, len(recs))])
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}

// insertBare inserts recs; the first one's seq is after+1.
func insertBare(b *testing.B, tx *sql.Tx, insert string, after int, recs []benchRecord) {
	st, err := tx.Prepare(insert)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	for i, r := range recs {
		if _, err := st.Exec(after+i+1, 1, string(r.key), string(r.data), string(r.when), 1); err != nil {
			b.Fatal(err)
		}
	}
}

func benchStore(b *testing.B, path string, recs []benchRecord) {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: path, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c, err := s.EnsureConnection(ctx, "c", "c")
	if err != nil {
		b.Fatal(err)
	}
	w, err := s.BeginRun(ctx, NewRun{
		RunID: "r", ConnectionID: c.ID, Bookmark: BookmarkIncremental, Holder: "h", Streams: []string{"s"}, LeaseTTL: time.Hour,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
	defer b.StopTimer()
	batch := w.NewBatch()
	for _, r := range recs {
		batch.Add(0, r.key, r.data, r.when, false)
		if batch.Len() == 5000 {
			if err := w.Write(ctx, batch); err != nil {
				b.Fatal(err)
			}
			batch = w.NewBatch()
		}
	}
	if err := w.Write(ctx, batch); err != nil {
		b.Fatal(err)
	}
	if err := w.Finish(ctx, Outcome{Status: "succeeded"}); err != nil {
		b.Fatal(err)
	}
}

const bareInsert = `INSERT INTO records (seq, stream_id, key, data, deleted, emitted_at, run_pk) VALUES (?, ?, ?, ?, 0, ?, ?)`

// BenchmarkWriter alternates the store's write path with the bare loop, with a
// second bare loop as the control, and reports ratios of their median times.
func BenchmarkWriter(b *testing.B) {
	recs := benchRecords(100_000)
	ways := []struct {
		name string
		run  func(path string)
		took []time.Duration
	}{
		{name: "store", run: func(p string) { benchStore(b, p, recs) }},
		{name: "bare", run: func(p string) { benchBare(b, p, recs, bareInsert) }},
		{name: "bare-upsert", run: func(p string) { benchBare(b, p, recs, record.UpsertRecord) }},
		{name: "control", run: func(p string) { benchBare(b, p, recs, bareInsert) }},
	}
	b.StopTimer()
	for n := range b.N + 1 {
		for i := range ways {
			w := &ways[(i+n)%len(ways)]
			before := b.Elapsed()
			runtime.GC()
			w.run(filepath.Join(b.TempDir(), "bench.sqlite"))
			if n > 0 { // the first round warms up
				w.took = append(w.took, b.Elapsed()-before)
			}
		}
	}
	median := map[string]float64{}
	for _, w := range ways {
		slices.Sort(w.took)
		median[w.name] = w.took[len(w.took)/2].Seconds()
		b.ReportMetric(float64(len(recs))/median[w.name], w.name+"-rows/s")
	}
	b.ReportMetric(median["bare"]/median["store"], "of-bare")
	b.ReportMetric(median["bare-upsert"]/median["store"], "of-bare-upsert")
	b.ReportMetric(median["bare"]/median["control"], "A/A")
}
