package storage

import (
	"testing"
	"time"
)

// TestPressure: a run that ends under pressure arms the cooldown and counts,
// one that says nothing leaves it, one that ends well disarms it; and the
// ledger of destinations adds up.
func TestPressure(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Options{Path: t.TempDir() + "/pdpp.sqlite"})
	x := &exercise{T: t, s: s}
	reasons := []string{"rate_limited", "upstream_pressure"}
	next := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	end := func(o Outcome) {
		t.Helper()
		w := x.begin("c")
		x.ok(w.Finish(t.Context(), o))
	}
	read := func() *SourcePressure {
		t.Helper()
		p, err := s.SourcePressure(t.Context(), "c", reasons)
		x.ok(err)
		return p
	}
	sent := []Destination{{Host: "api.example.com:443", Requests: 2, BytesOut: 10, BytesIn: 100}}
	end(Outcome{Status: "failed", Pressure: &Pressure{Reason: "rate_limited"}, Destinations: sent})
	if p := read(); p.Record == nil || p.Record.AttemptCount != 0 || !p.Record.NextAttempt.IsZero() {
		t.Fatalf("got %+v, want a record without an attempt and without a time", p.Record)
	}
	end(Outcome{Status: "failed"})
	end(Outcome{Status: "failed", Pressure: &Pressure{Reason: "upstream_pressure", NextAttempt: next}, Destinations: sent})
	p := read().Record
	x.same([]any{p.Reason, p.AttemptCount, p.NextAttempt.UTC()}, []any{"upstream_pressure", int64(1), next})
	// A forced run that is refused with no moment named does not shorten the pause.
	end(Outcome{Status: "failed", Pressure: &Pressure{Reason: "rate_limited"}})
	p = read().Record
	x.same([]any{p.Reason, p.AttemptCount, p.NextAttempt.UTC()}, []any{"rate_limited", int64(2), next})
	end(Outcome{Status: "succeeded", PressureOver: true})
	if p := read(); p.Record != nil || len(p.Gaps) != 0 {
		t.Fatalf("got %+v, want none", p)
	}
	w := x.begin("c")
	for _, g := range []Gap{
		{Stream: "a", RecordKey: "1", Reason: "rate_limited", Class: "run_cap_deferred", NextAttemptAfter: next},
		{Stream: "a", RecordKey: "2", Reason: "retry_exhausted"}, // a budget's: no pressure
	} {
		x.ok(w.PutGap(t.Context(), g))
	}
	x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded", PressureOver: true}))
	if p := read(); len(p.Gaps) != 1 || p.Gaps[0].Class != "run_cap_deferred" || !p.Gaps[0].NextAttemptAfter.Equal(next) || p.Gaps[0].At.IsZero() {
		t.Fatalf("got %+v, want one gap of run_cap_deferred with its time", p)
	}
	ledger, err := s.Destinations(t.Context(), "c")
	x.ok(err)
	if len(ledger) != 1 || ledger[0].Requests != 4 || ledger[0].BytesOut != 20 || ledger[0].BytesIn != 200 {
		t.Fatalf("got %+v, want 4 requests, 20 bytes out, 200 in", ledger)
	}
}
