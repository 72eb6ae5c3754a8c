package storage

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkEnumeration writes records again that have not changed, as BenchmarkWriter does
// its own: without an enumeration, once more without one (the control), and in one that is
// whole and sweeps a thousandth. Each round makes all three, in turn.
func BenchmarkEnumeration(b *testing.B) {
	const n = 150_000
	recs := benchRecords(n)
	ctx := b.Context()
	s, err := Open(ctx, Options{Path: filepath.Join(b.TempDir(), "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	c, err := s.EnsureConnection(ctx, "c", "c")
	if err != nil {
		b.Fatal(err)
	}
	run := 0
	write := func(recs []benchRecord, enumerated bool) time.Duration {
		run++
		began := time.Now()
		w, err := s.BeginRun(ctx, NewRun{RunID: fmt.Sprint(run), ConnectionID: c.ID, Bookmark: BookmarkIncremental, Streams: []string{"a"}, LeaseTTL: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		var sweeps []Sweep
		if enumerated {
			if err := w.Enumerate(ctx, Opening{Enumeration: whole()}); err != nil {
				b.Fatal(err)
			}
			sweeps = []Sweep{{Enumeration: whole()}}
		}
		for at := 0; at < len(recs); at += 5000 {
			batch := w.NewBatch()
			for _, r := range recs[at:min(at+5000, len(recs))] {
				batch.Add(0, r.key, r.data, r.when, false)
			}
			if err := w.Write(ctx, batch); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Finish(ctx, Outcome{Status: "succeeded", Sweeps: sweeps}); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	write(recs, true)
	var plain, control, marked time.Duration
	for b.Loop() {
		plain += write(recs, false)
		marked += write(recs[:n-n/1000], true)
		write(recs, true) // the buried ones are there again
		control += write(recs, false)
	}
	b.ReportMetric(plain.Seconds()/float64(b.N), "plain-s")
	b.ReportMetric(control.Seconds()/plain.Seconds(), "control/plain")
	b.ReportMetric(marked.Seconds()/plain.Seconds(), "enumerated/plain")
}
