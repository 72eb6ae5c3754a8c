package collector

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// backfill is a connector that collects three units, and goes on from its cursor.
// After each unit it waits for the host to let it go on.
func backfill() string {
	var b strings.Builder
	unit := func(when string, n int, last bool) {
		line := func(text string) { b.WriteString(when + " " + strings.TrimSpace(text) + "\n") }
		line(records("notes", (n-1)*10, n*10))
		if last {
			line(state("notes", fmt.Sprintf(`{"page":%d}`, n)))
			line(done(10))
			return
		}
		line(slice("notes", fmt.Sprintf(`{"page":%d}`, n)))
		line("poll")
	}
	unit(`unless "page"`, 1, false)
	unit(`when "page":1`, 2, false)
	unit(`when "page":2`, 3, true)
	return b.String()
}

// LC-02.1: a back-fill above one execution's bound stops between two units; what
// is finished stands, and each later execution goes on behind it.
func TestBackfillGoesOnFromUnitToUnit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *Deps) { d.Policy.MaxBatches = 1 }).guest()
	for n := 1; n <= 3; n++ {
		res := w.run(backfill())
		w.same(len(w.host.keys("notes")), n*10, "records at the host")
		w.same(w.host.cursor("notes"), fmt.Sprintf(`{"page":%d}`, n), "cursor at the host")
		if n == 3 {
			w.same(res.Outcome, OutcomeComplete, "outcome of the last")
			w.same(res.Outbox.BacklogOpen, 0, "what is left after the last")
			break
		}
		w.same(res.BudgetReached, true, "stopped at its bound")
		w.same(res.Outcome, OutcomeBacklog, "outcome")
		w.same(w.host.lastBeat().Status, "retrying", "heartbeat")
		if res.Outbox.BacklogOpen == 0 || res.Run.Reason != string(abi.ReasonPolicyBudget) || len(res.Run.KnownGaps) != 1 ||
			res.Run.KnownGaps[0].RecoveryHint != "retry_by_runtime" {
			t.Errorf("what is left is not kept: %+v %+v", res.Outbox, res.Run)
		}
	}
	sent := 0
	for _, b := range w.host.batches {
		sent += strings.Count(string(b.Records), `"record_key"`)
	}
	w.same(sent, 30, "records that were sent at all")
}

// A unit in progress is never cut: a connector without units is one unit.
func TestConnectorWithoutUnitsRunsThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *Deps) { d.Policy.MaxBatches = 1 }).guest()
	res := w.run(records("notes", 0, 5000) + state("notes", `{"at":1}`) + records("notes", 5000, 6000) + state("notes", `{"at":2}`) + done(6000))
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(len(w.host.keys("notes")), 6000, "records at the host")
}

func TestBudget(t *testing.T) {
	t.Parallel()
	data := make([]byte, 300<<10)
	b := &budget{most: 4, mostWaiting: 10}
	for range 1000 {
		b.accept([]byte("k"), []byte("{}"))
	}
	if got := b.unit(); got != "" || b.batches != 1 {
		t.Errorf("a thousand records are %d batches, %q", b.batches, got)
	}
	for range 7 { // two MiB, and a bit
		b.accept([]byte("k"), data)
	}
	if got := b.unit(); got != abi.ReasonPolicyBudget || b.batches != 4 {
		t.Errorf("%d batches, %q", b.batches, got)
	}
	b = &budget{most: 4, mostWaiting: 10}
	b.waiting.Store(10)
	if got := b.unit(); got != abi.ReasonPolicyBudget {
		t.Errorf("a full queue: %q", got)
	}
}

// LC-02.2: a unit is complete when the host has everything of it, whether the
// other units of its run are or not.
func TestUnitCompletesByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	first := true
	w.host.fail(func(r *http.Request, body []byte) (*answer, error) {
		if strings.HasSuffix(r.URL.Path, "/ingest-batches") && strings.Contains(string(body), "journal-") {
			first = false
			return &answer{status: 503}, nil
		}
		return nil, nil
	})
	w.run(records("notes", 0, 1) + slice("notes", `{"at":1}`) + records("journal", 0, 1) + slice("journal", `{"at":1}`) + done(2))
	if first {
		t.Fatal("nothing was refused")
	}
	s := w.open()
	units, err := s.Units(t.Context(), false)
	w.ok(err)
	w.ok(s.Close())
	var got []string
	for _, u := range units {
		got = append(got, u.Stream+" "+u.Status)
	}
	if len(got) < 2 || got[0] != "notes "+storage.UnitComplete || got[1] != "journal "+storage.UnitRunning {
		t.Errorf("units: %v", got)
	}
}
