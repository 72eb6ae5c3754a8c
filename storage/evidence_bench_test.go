package storage

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// benchFleet makes a store of n connections that have run, some of them badly.
func benchFleet(b *testing.B, n int) (*Store, *clock) {
	return benchFleetAt(b, filepath.Join(b.TempDir(), "fleet.sqlite"), n)
}

func benchFleetAt(b *testing.B, path string, n int) (*Store, *clock) {
	b.Helper()
	ctx := context.Background()
	c := newClock()
	s, err := Open(ctx, Options{Path: path, Now: c.Now, unsynced: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	// Rows made in bulk by the writer's own functions: a run each would take long.
	for at := 0; at < n; at += 500 {
		err := s.db.Alone(ctx, "fill", func(t *db.Tx) error {
			for i := at; i < min(at+500, n); i++ {
				if err := benchConnection(t, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return s, c
}

func benchConnection(t *db.Tx, i int) error {
	row := &tables.ConnectionRow{
		ID: fmt.Sprintf("id%05d", i), Name: fmt.Sprintf("connection-%05d", i), Connector: "demo", Options: "{}", Roots: "{}", ReadRoots: "{}", Accepted: "[]",
		PinnedManifest: keptManifest,
	}
	if _, err := t.DB.NewInsert().Model(row).Exec(t.Ctx); err != nil {
		return err
	}
	if err := evidence.InsertRow(t, row); err != nil {
		return err
	}
	status, reason := tables.StatusSucceeded, ""
	if i%7 == 0 {
		status, reason = "failed", "connector_exit_without_done"
	}
	run := &tables.RunRow{
		RunID: fmt.Sprintf("run_%05d", i), ConnectionID: row.ID, Status: status, Reason: reason, Streams: `["a","b","extra"]`,
		StartedUS: db.Micros(t.Now), FinishedUS: db.Micros(t.Now) - int64(i)*60e6,
		KnownGaps: `[{"kind":"skip","stream":"extra","severity":"transient","reason":"later","recovery_hint":"retry_by_runtime"}]`,
	}
	if _, err := t.DB.NewInsert().Model(run).Exec(t.Ctx); err != nil {
		return err
	}
	return evidence.RebuildAtCommit(t, row.ID)
}

// benchPage reads one page and renders its rows, as a surface does.
func benchPage(b *testing.B, s *Store, now time.Time, after string) {
	page, err := s.EvidencePage(context.Background(), after, 50)
	if err != nil || len(page) != 50 {
		b.Fatal(len(page), err)
	}
	for i := range page {
		v := verdict.OfStored(page[i].Facts, page[i].Moment(now, nil), true)
		if brief := view.BriefOf(&v); brief.Pill.Label == "" {
			b.Fatal("no label")
		}
	}
}

// BenchmarkStatusPage reads pages of 50 from the middle of a fleet of 10,000 and
// of one of 100, in turn, and reports the 99th percentile of the one and how
// the medians compare.
func BenchmarkStatusPage(b *testing.B) {
	large, c := benchFleet(b, 10_000)
	small, _ := benchFleet(b, 100)
	benchStatusPages(b, large, small, c)
}

func benchStatusPages(b *testing.B, large, small *Store, c *clock) {
	var took [2][]time.Duration
	b.ResetTimer()
	for i := range b.N {
		for k, s := range []*Store{large, small} {
			after := fmt.Sprintf("connection-%05d", 4000+i%1000)
			if k == 1 {
				after = fmt.Sprintf("connection-%05d", i%50)
			}
			begin := time.Now()
			benchPage(b, s, c.Now(), after)
			took[k] = append(took[k], time.Since(begin))
		}
	}
	b.StopTimer()
	for k := range took {
		slices.Sort(took[k])
	}
	at := func(k int, p float64) float64 { return took[k][int(float64(len(took[k])-1)*p)].Seconds() * 1e3 }
	b.ReportMetric(at(0, 0.5), "p50-ms")
	b.ReportMetric(at(0, 0.99), "p99-ms")
	b.ReportMetric(at(0, 0.5)/at(1, 0.5), "of-100")
}

// BenchmarkFleet counts a fleet of 10,000.
func BenchmarkFleet(b *testing.B) {
	s, c := benchFleet(b, 10_000)
	benchCounts(b, s, c)
}

func benchCounts(b *testing.B, s *Store, c *clock) {
	var took []time.Duration
	b.ResetTimer()
	for range b.N {
		begin := time.Now()
		f, err := s.Fleet(context.Background(), c.Now(), nil, true)
		if err != nil || f.Registered != 10_000 {
			b.Fatal(f, err)
		}
		took = append(took, time.Since(begin))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(took[int(float64(len(took)-1)*0.99)].Seconds()*1e3, "p99-ms")
}

// BenchmarkVerdict renders one stored connection.
func BenchmarkVerdict(b *testing.B) {
	s, c := benchFleet(b, 1)
	e, err := s.EvidenceOf(context.Background(), "connection-00000")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		v := verdict.OfStored(e.Facts, stored.Moment{Now: health.At(c.Now())}, true)
		_ = v.Pill
	}
}
