package storage

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// benchMerge is the yardstick on PostgreSQL: 5,000 rows at a time by COPY into a temporary
// table, and one merge of it into a table of the same shape.
func benchMerge(b *testing.B, dsn string, recs []benchRecord) {
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	run := func(q string) {
		if _, err := conn.Exec(ctx, q).ReadAll(); err != nil {
			b.Fatal(err)
		}
	}
	run(`CREATE TABLE IF NOT EXISTS bare (seq bigint PRIMARY KEY, stream_id bigint NOT NULL, key text COLLATE "C" NOT NULL, data text COLLATE "C",
deleted bigint NOT NULL, emitted_at text COLLATE "C" NOT NULL, run_pk bigint NOT NULL, UNIQUE (stream_id, key))`)
	run(`CREATE TEMP TABLE incoming (LIKE bare)`)
	b.StartTimer()
	defer b.StopTimer()
	for at := 0; at < len(recs); at += 5000 {
		rows := postgres.NewRows(7, 4<<20)
		for i, r := range recs[at:min(at+5000, len(recs))] {
			rows.Next()
			rows.Int(int64(at + i + 1))
			rows.Int(1)
			rows.Text(r.key)
			rows.Text(r.data)
			rows.Int(0)
			rows.Text(r.when)
			rows.Int(1)
		}
		run("BEGIN")
		if err := rows.Copy(ctx, conn, "COPY incoming FROM STDIN BINARY"); err != nil {
			b.Fatal(err)
		}
		run(`INSERT INTO bare (seq, stream_id, key, data, deleted, emitted_at, run_pk) SELECT seq, stream_id, key, data, deleted, emitted_at, run_pk FROM incoming ON CONFLICT (stream_id, key) DO UPDATE SET seq = excluded.seq, data = excluded.data
WHERE bare.data IS DISTINCT FROM excluded.data; TRUNCATE incoming; COMMIT`)
	}
}

// BenchmarkPostgres alternates the store's write path with the bare loop, into an empty
// table and over the same records again, on a server that syncs its disk (FL-03).
func BenchmarkPostgres(b *testing.B) {
	recs := benchRecords(100_000)
	size := 0
	for _, r := range recs {
		size += len(r.key) + len(r.data) + len(r.when)
	}
	took := map[string][]time.Duration{}
	for range b.N {
		bare, own := pgtest.Durable(b, nil), pgtest.Durable(b, nil)
		for _, again := range []string{"new", "unchanged"} {
			for name, run := range map[string]func(){"bare": func() { benchMerge(b, bare, recs) }, "store": func() { benchStoreRun(b, own, again, recs) }} {
				b.ResetTimer()
				b.StopTimer()
				before := b.Elapsed()
				run()
				took[name+" "+again] = append(took[name+" "+again], b.Elapsed()-before)
			}
		}
	}
	rate := func(name string) float64 {
		list := took[name]
		slices.Sort(list)
		return float64(len(recs)) / list[len(list)/2].Seconds()
	}
	for _, again := range []string{"new", "unchanged"} {
		own, bare := rate("store "+again), rate("bare "+again)
		b.Logf("%s: %.0f records/s of %d bytes, bare loop %.0f: %.2f of it", again, own, size/len(recs), bare, own/bare)
	}
	b.ReportMetric(rate("store new"), "new/s")
	b.ReportMetric(rate("store unchanged"), "unchanged/s")
}

// benchStoreRun is one run that writes recs.
func benchStoreRun(b *testing.B, dsn, id string, recs []benchRecord) {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: dsn, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	c, err := s.EnsureConnection(ctx, "c", "c")
	if err != nil {
		b.Fatal(err)
	}
	w, err := s.BeginRun(ctx, NewRun{
		RunID: fmt.Sprint("r-", id), ConnectionID: c.ID, Bookmark: BookmarkIncremental, Holder: "h", Streams: []string{"s"}, LeaseTTL: time.Hour,
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

// BenchmarkPostgresStatusPage is BenchmarkStatusPage on PostgreSQL.
func BenchmarkPostgresStatusPage(b *testing.B) {
	large, c := benchFleetAt(b, pgtest.Durable(b, nil), 10_000)
	small, _ := benchFleetAt(b, pgtest.Durable(b, nil), 100)
	benchStatusPages(b, large, small, c)
}

// BenchmarkPostgresFleet is BenchmarkFleet on PostgreSQL.
func BenchmarkPostgresFleet(b *testing.B) {
	s, c := benchFleetAt(b, pgtest.Durable(b, nil), 10_000)
	benchCounts(b, s, c)
}
