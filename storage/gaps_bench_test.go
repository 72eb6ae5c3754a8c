package storage

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// benchGaps makes a store whose connection has n open gaps, half of them under
// source pressure, each with a locator of the usual size.
func benchGaps(b testing.TB, n int, lastRun string, next time.Time) (*Store, *clock) {
	b.Helper()
	ctx, c := context.Background(), newClock()
	s, err := Open(ctx, Options{Path: filepath.Join(b.TempDir(), "gaps.sqlite"), Now: c.Now, unsynced: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	conn, err := s.EnsureConnection(ctx, "c", "c")
	if err != nil {
		b.Fatal(err)
	}
	for at := 0; at < n; at += 1000 {
		rows := make([]tables.GapRow, 0, 1000)
		for i := at; i < at+1000; i++ {
			key := fmt.Sprintf("key%06d", i*7919%n)
			r := tables.GapRow{
				ID: run.GapID(conn.ID, "a", "p", key), ConnectionID: conn.ID, Stream: "a", ParentStream: "p", RecordKey: key, Reason: "rate_limited",
				DetailLocator: fmt.Sprintf(`{"url":"https://api.example.com/v1/things/%s/details?expand=everything"}`, key), Status: GapPending,
				AttemptCount: int64(i % 5), LastAttemptUS: db.Micros(c.Now()) + int64(i), DiscoveredRunID: lastRun, LastRunID: lastRun, CreatedUS: db.Micros(c.Now()) + int64(i),
			}
			if i%2 == 0 {
				r.Reason = "retry_exhausted"
			}
			if !next.IsZero() {
				r.NextAttemptUS = db.Micros(next)
			}
			rows = append(rows, r)
		}
		err := s.db.Alone(ctx, "fill", func(t *db.Tx) error {
			_, err := t.DB.NewInsert().Model(&rows).Exec(t.Ctx)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return s, c
}

// benchPages times one page after the other and reports the slowest.
func benchPages(b *testing.B, page func() error) {
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		if err := page(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(took[int(float64(len(took)-1)*0.99)].Seconds()*1e3, "p99-ms")
}

// BenchmarkOpenGaps asks a connection with 100,000 open gaps for what a run and
// its owner ask of them: each answer is due in 20 ms.
func BenchmarkOpenGaps(b *testing.B) {
	ctx := context.Background()
	const n = 100_000
	b.Run("SourcePressure", func(b *testing.B) {
		s, _ := benchGaps(b, n, "earlier", time.Time{})
		benchPages(b, func() error {
			p, err := s.SourcePressure(ctx, "c", []string{"rate_limited", "upstream_pressure"})
			if err == nil && len(p.Gaps) != 1000 {
				b.Fatalf("%d gaps, want 1000", len(p.Gaps))
			}
			return err
		})
	})
	b.Run("Gaps", func(b *testing.B) {
		s, _ := benchGaps(b, n, "earlier", time.Time{})
		for _, run := range []string{"", "earlier"} {
			b.Run("run="+run, func(b *testing.B) {
				q := GapQuery{RunID: run, Limit: tables.EachPage}
				benchPages(b, func() error {
					page, err := s.Gaps(ctx, "c", q)
					if q.After = nil; len(page) == q.Limit {
						q.After = &page[len(page)-1]
					}
					return err
				})
			})
		}
	})
	leases := []struct {
		name, lastRun string
		next          time.Duration
		want          int
	}{
		{"due", "earlier", 0, run.MaxPageRows}, {"waiting", "earlier", time.Hour, 0}, {"found", "leasing", 0, 0},
	}
	for _, l := range leases {
		b.Run("LeaseGaps/"+l.name, func(b *testing.B) {
			next := time.Time{}
			if l.next > 0 {
				next = newClock().Now().Add(l.next)
			}
			s, c := benchGaps(b, n, l.lastRun, next)
			w, err := s.BeginRun(ctx, NewRun{
				RunID: "leasing", ConnectionID: connectionID(b, s, "c"), Bookmark: BookmarkIncremental, Holder: "h", Streams: []string{"a"}, LeaseTTL: time.Hour,
			})
			if err != nil {
				b.Fatal(err)
			}
			left := n
			benchPages(b, func() error {
				page, err := w.LeaseGaps(ctx, GapPage{Streams: []string{"a"}, MaxBytes: 1 << 20, Due: c.Now()})
				if left -= len(page); err == nil && len(page) != min(l.want, left+len(page)) {
					b.Fatalf("%d gaps, want %d", len(page), l.want)
				}
				return err
			})
		})
	}
}

func connectionID(b testing.TB, s *Store, name string) string {
	b.Helper()
	c, err := s.EnsureConnection(context.Background(), name, name)
	if err != nil {
		b.Fatal(err)
	}
	return c.ID
}
