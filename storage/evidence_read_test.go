package storage

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// kept makes a store with one connection, its manifest accepted.
func kept(t *testing.T, manifest string) (*exercise, *Connection) {
	t.Helper()
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	c := x.connection("c")
	x.ok(x.s.PinPlugin(t.Context(), c.ID, "abc", []byte(manifest)))
	return x, c
}

// A run that its holder left behind is no run that goes on, and nothing that it
// was to collect counts as collected; the run after it settles the matter.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	x.finish(x.begin("c", allStreams))
	x.clock.forward(time.Hour)
	x.begin("c", allStreams).Abandon()
	if v := x.verdict("c"); v.Pill.Tone != verdict.Green || !v.Detail.Badges.Syncing {
		t.Errorf("while it runs: got %+v %+v, want green, syncing", v.Pill, v.Detail.Badges)
	}
	e, err := x.s.EvidenceOf(t.Context(), "c")
	x.ok(err)
	x.same([]string{e.LatestRun, e.SettledRun, e.SucceededRun}, []string{"run2", "run1", "run1"})
	gone := verdict.OfStored(e.Facts, e.Moment(x.clock.Now(), func(string) bool { return false }), true)
	late := verdict.OfStored(e.Facts, e.Moment(x.clock.Now().Add(time.Hour), nil), true) // the lease has run out
	// A host that was suspended did not restart.
	suspended := verdict.OfStored(e.Facts, e.Moment(x.clock.Now().Add(time.Hour), func(string) bool { return true }), true)
	for name, c := range map[string]struct {
		verdict.RenderedVerdict

		reason health.Word
	}{
		"its holder is gone": {gone, "host_restarted"}, "its lease ran out": {late, "host_restarted"},
		"its host was suspended": {suspended, "lease_lost"},
	} {
		v := c.RenderedVerdict
		if v.Pill.Tone != verdict.Amber || v.Detail.Badges.Syncing || v.Detail.ReasonCode != c.reason || v.Detail.Axes.Freshness != health.FreshnessFresh {
			t.Errorf("%s: %+v, reason %s, want %s", name, v.Pill, v.Detail.ReasonCode, c.reason)
		}
	}
	w := x.begin("c", allStreams, func(n *NewRun) { n.HolderAlive = func(string) bool { return false } })
	e, err = x.s.EvidenceOf(t.Context(), "c")
	x.ok(err)
	x.same([]string{e.LatestRun, e.SettledRun, e.SucceededRun}, []string{"run3", "run2", "run1"})
	x.finish(w)
	if v := x.verdict("c"); v.Pill.Tone != verdict.Green {
		t.Errorf("after the next run: got %+v, want %s", v.Pill, verdict.Green)
	}
}

// HL-07.1: a rejected token asks for another one; a newer success is newer proof.
// HL-26.2: a run that fails in the same way brings the same action again, and
// HL-26.3: what one run recovers clears, what it does not keeps its action.
func TestRejectedThenAccepted(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	ctx := t.Context()
	rejected := Outcome{Status: "failed", Reason: "connector_reported_failed", Error: &RunError{Code: "demo_auth_failed", Message: "401"}}
	x.finish(x.begin("c", allStreams))
	for range 2 {
		x.clock.forward(time.Minute)
		x.ok(x.begin("c", allStreams).Finish(ctx, rejected))
		v := x.verdict("c")
		if v.Pill.Tone != verdict.Red || v.Channel != verdict.Attention || v.RequiredActions[0].Kind != verdict.Reauth {
			t.Fatalf("rejected: got %+v %s %+v, want red, attention, reauth", v.Pill, v.Channel, v.RequiredActions)
		}
		// The owner's new token is not known to be rejected, and not to work either.
		x.clock.forward(time.Minute)
		x.ok(x.s.PutCredentials(ctx, c.ID, map[string][]byte{"token": {1}}))
		v = x.verdict("c")
		if v.Pill.Tone != verdict.Amber || strings.Contains(fmt.Sprint(v.RequiredActions), "reauth") {
			t.Fatalf("with a new token: got %+v %+v, want amber, and no reauth", v.Pill, v.RequiredActions)
		}
	}
	w := x.begin("c", allStreams)
	x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "1", Reason: "temporary_unavailable"}))
	x.ok(w.PutGap(ctx, Gap{Stream: "b", RecordKey: "1", Reason: "temporary_unavailable"}))
	x.finish(w)
	v := x.verdict("c")
	x.same([]any{v.Pill.Tone, v.RequiredActions[0].Kind, v.RequiredActions[0].Affects}, []any{verdict.Amber, verdict.RetryGap, []string{"a", "b"}})
	w = x.begin("c", allStreams)
	x.ok(w.GapOutcome(ctx, run.GapID(c.ID, "b", "", "1"), "", true))
	x.finish(w)
	v = x.verdict("c")
	x.same([]any{v.Pill.Tone, v.RequiredActions[0].Kind, v.RequiredActions[0].Affects}, []any{verdict.Amber, verdict.RetryGap, []string{"a"}})
	w = x.begin("c", allStreams)
	x.ok(w.GapOutcome(ctx, run.GapID(c.ID, "a", "", "1"), "", true))
	x.finish(w)
	if v := x.verdict("c"); v.Pill.Tone != verdict.Green || v.Channel != verdict.Calm {
		t.Errorf("recovered: got %+v, want green, calm", v.Pill)
	}
}

// HL-18.1, HL-18.7: pressure and floors are counted as they are written.
func TestGapCounters(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, `{"capabilities":{"refresh_policy":{"recommended_mode":"manual"}},"streams":[{"name":"a"},{"name":"b"}]}`)
	ctx := t.Context()
	soon, late := x.clock.Now().Add(time.Hour).UTC(), x.clock.Now().Add(2*time.Hour).UTC()
	w := x.begin("c")
	for i := range 5 {
		x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: fmt.Sprint(i), Reason: "rate_limited", NextAttemptAfter: late}))
	}
	x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "x", Reason: "upstream_pressure", NextAttemptAfter: soon}))
	x.ok(w.PutGap(ctx, Gap{Stream: "b", RecordKey: "x", Reason: "retry_exhausted"}))
	x.finish(w)
	e, err := x.s.EvidenceOf(ctx, "c")
	x.ok(err)
	x.same(e.NextAttempt, soon)
	b := x.verdict("c").Detail.DetailGapBacklog
	x.same([]any{b.Pending, b.PendingOther, *b.Recovered, b.PendingIsFloor, b.NextAttemptAt.Time}, []any{6, 1, 0, false, soon})
}

// A store from before evidence was kept has it once it is opened.
func TestEvidenceOfAnOlderStore(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	x.finish(x.begin("c", allStreams))
	before, err := x.s.EvidenceOf(t.Context(), "c")
	x.ok(err)
	path := x.s.Path()
	x.ok(x.s.Close())
	rawSQL(t, path, "DELETE FROM standings", "DELETE FROM evidence")
	x.s = x.open(t, x.clock.Now)
	after, err := x.s.EvidenceOf(t.Context(), "c")
	x.ok(err)
	x.same(*after.Facts.Settled, *before.Facts.Settled)
	if differ, err := x.s.CheckEvidence(t.Context()); err != nil || len(differ) > 0 {
		t.Error(differ, err)
	}
	_, err = x.s.EvidenceOf(t.Context(), "none")
	x.code(err, abi.CodeConnectionUnknown)
}

// counting counts the statements of a pool.
type counting struct{ n int }

func (c *counting) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }
func (c *counting) AfterQuery(context.Context, *bun.QueryEvent)                        { c.n++ }

// A page is one statement, and reading writes nothing.
func TestPageIsOneStatement(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	for i := range 30 {
		x.finish(x.begin(fmt.Sprintf("n%02d", i)))
	}
	x.begin("n29")
	before, err := x.s.EvidenceOf(t.Context(), "n29")
	x.ok(err)
	seen := &counting{}
	x.s.db.Read = x.s.db.Read.WithQueryHook(seen)
	page, err := x.s.EvidencePage(t.Context(), "n09", 20)
	x.ok(err)
	x.same([]any{len(page), page[0].Name, page[19].Name, seen.n}, []any{20, "n10", "n29", 1})
	x.same(page[19].Revision, before.Revision)
	asked := x.s.db.Asked()
	chosen, err := x.s.EvidenceOfEach(t.Context(), []string{page[19].ConnectionID, "none", page[0].ConnectionID})
	x.ok(err)
	x.same([]any{len(chosen), int64(seen.n) + x.s.db.Asked() - asked}, []any{2, int64(2)}) // a server's are seen, a file's are asked for
	if m := page[19].Moment(x.clock.Now(), nil); !m.RunAlive {
		t.Error("the page does not know that a run is alive")
	}
}

// HL-04.1, HL-04.2: a provider that named the time before which it takes no
// request is waited for, in sight; the time itself ends that, and so does a
// newer success.
func TestCooldown(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	ctx := t.Context()
	x.finish(x.begin("c", allStreams))
	until := x.clock.Now().Add(time.Hour).UTC()
	armed := Outcome{
		Status: "failed", Reason: "connector_reported_failed", Error: &RunError{Code: "demo_rate_limited"},
		Pressure: &Pressure{Reason: "rate_limited", NextAttempt: until},
	}
	x.ok(x.begin("c", allStreams).Finish(ctx, armed))
	e, err := x.s.EvidenceOf(ctx, "c")
	x.ok(err)
	x.same([]any{e.NextAttempt, e.NextChange}, []any{until, until})
	v := x.verdict("c")
	x.same([]any{v.Detail.State, v.Detail.ReasonCode, v.Detail.NextAttemptAt.Time, v.Pill.Tone}, []any{"cooling_off", "rate_limited", until, verdict.Amber})
	fleet, err := x.s.Fleet(ctx, x.clock.Now(), nil, true)
	x.ok(err)
	x.same(fleet.AttentionVisible, 1)

	x.clock.forward(time.Hour)
	if v := x.verdict("c"); v.Detail.State != "degraded" || !v.Detail.NextAttemptAt.IsZero() {
		t.Errorf("when it is over: got %s, want degraded", v.Detail.State)
	}
	x.ok(x.begin("c", allStreams).Finish(ctx, Outcome{Status: "succeeded", PressureOver: true}))
	if v := x.verdict("c"); v.Pill.Tone != verdict.Green {
		t.Errorf("after a success: got %+v, want green", v.Pill)
	}
	x.sound()
}

// A run that its owner ended is not how the connection is: the run before it is.
// The data is as old as that one left it, and ages from there.
func TestCancelledRun(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	x.finish(x.begin("c", allStreams))
	x.ok(x.begin("c", allStreams).Finish(t.Context(), Outcome{Status: "cancelled", Reason: "owner_cancelled"}))
	e, err := x.s.EvidenceOf(t.Context(), "c")
	x.ok(err)
	x.same([]string{e.LatestRun, e.SettledRun, e.SucceededRun}, []string{"run2", "run1", "run1"})
	if v := x.verdict("c"); v.Detail.Axes.Freshness != "fresh" || v.Detail.State != "healthy" || v.Streams[0].Coverage != "complete" {
		t.Errorf("got %+v, want fresh, healthy, complete", v.Detail.Axes)
	}
	x.clock.forward(8 * 24 * time.Hour)
	if v := x.verdict("c"); v.Detail.Axes.Freshness != "stale" || v.Detail.State != "degraded" {
		t.Errorf("a week later: got %+v, want stale, degraded", v.Detail.Axes)
	}
}

// AC-03: the rows in which a connector accounts for its folders are no records that were collected: a folder of
// which nothing was read kept none.
func TestCoverageRowsAreNotKeptRecords(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	w := x.begin("c", func(n *NewRun) { n.Streams = []string{"a", "coverage_diagnostics"} })
	x.put(w, 1, "store=1", "other=1")
	retained := func() int64 {
		e, err := x.s.EvidenceOf(t.Context(), "c")
		x.ok(err)
		return *e.Facts.Retained
	}
	if got := retained(); got != 0 {
		t.Errorf("with coverage alone: got %d records kept, want 0", got)
	}
	x.put(w, 0, "k=1")
	x.finish(w)
	if got := retained(); got != 1 {
		t.Errorf("with one record: got %d records kept, want 1", got)
	}
	x.damage("UPDATE evidence SET format = 0")
	x.ok(x.s.Close())
	x.s = x.open(t, x.clock.Now)
	if got := retained(); got != 1 {
		t.Errorf("made anew: got %d records kept, want 1", got)
	}
}
