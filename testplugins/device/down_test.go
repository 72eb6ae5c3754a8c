package device

import (
	"net/http"
	"os"
	"reflect"
	"slices"
	"testing"
)

// LC-01.1, LC-01.2, LC-03.1, LC-04.2: the host dies while a run delivers. The collected
// records wait on the device, and none of them is committed. When the host is back, the
// next execution delivers them before it looks at the source, which may be gone by
// then.
func TestHostDiesDuringTheRun(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 5, 200_000)
	w := newWay(t, s)
	l := m.enroll(w.server.URL, s.invite())
	l.runs(done)
	before := s.cursors(l)
	grow(t, m.folder, 6, 300_000)
	want := found(t, m.folder)
	// The first batch dies with its host, so that nothing is acknowledged.
	w.addTrouble(trouble{kind: ingest, do: func(rw http.ResponseWriter, h *hop) {
		s.kill()
		cut(rw, h)
	}})
	r := l.runs(waits)
	if r.Outcome != "retryable_backlog" || r.Delivery == nil || r.Delivery.Code != "delivery.unreachable" || r.Delivered.Acknowledged != 0 {
		t.Errorf("%+v\n%s, want Outcome = retryable_backlog, Delivery not nil, Delivery.Code = delivery.unreachable and Delivered.Acknowledged = 0", r, r.text)
	}
	if got := s.cursors(l); !reflect.DeepEqual(got, before) || len(before) == 0 {
		t.Errorf("the host's checkpoints moved: %v, want %v as before", got, before)
	}
	if got := l.sql("SELECT DISTINCT kind FROM outbox WHERE status = 'ready' ORDER BY kind"); !slices.Contains(got, "record_batch") ||
		!slices.Contains(got, "checkpoint") && !slices.Contains(got, "terminal_run_commit") {
		t.Errorf("waiting rows: %v, want records and their commit", got)
	}
	if v := l.state(); v.LifecycleState == "healthy_idle" || v.Outbox.Counts.Retrying == 0 {
		t.Errorf("%+v, want v.LifecycleState not healthy_idle and v.Outbox.Counts.Retrying not 0", v)
	}

	// Still down: nothing is scanned, nothing is lost, and the output says so.
	queued := l.sql("SELECT id FROM outbox WHERE status <> 'succeeded' ORDER BY seq")
	l.timePasses()
	if r := l.runs(waits); !r.SkippedScan || r.Delivery == nil || r.Run != nil {
		t.Errorf("%+v\n%s, want SkippedScan, Delivery not nil and Run = nil", r, r.text)
	}
	if got := l.sql("SELECT id FROM outbox WHERE status <> 'succeeded' ORDER BY seq"); !slices.Equal(got, queued) {
		t.Errorf("the waiting rows changed: %v, want %v as before", got, queued)
	}

	// The host is back, and the source is gone: the waiting records are delivered, and
	// the host has everything.
	s.address = ""
	s.begin()
	w.leadsTo(s)
	l.timePasses()
	w.clearAccount()
	hidden := m.folder + ".away"
	if err := os.Rename(m.folder, hidden); err != nil {
		t.Fatal(err)
	}
	r = l.runs([]int{3, 4, 5})
	s.holds(l, want)
	if l.state().Outbox.Counts.open() != 0 {
		t.Errorf("%+v\n%s, want l.state().Outbox.Counts.open() = 0", l.state(), r.text)
	}
	if err := os.Rename(hidden, m.folder); err != nil {
		t.Fatal(err)
	}
	account := w.account()
	batch := slices.IndexFunc(account, func(r request) bool { return r.kind == ingest })
	look := slices.IndexFunc(account, func(r request) bool { return r.kind == readState })
	if batch < 0 || look >= 0 && look < batch {
		t.Errorf("the source was scanned before the delivery: %+v", account)
	}
	w.clearAccount()
	l.runs(done)
	if got := w.account(ingest); len(got) > 0 {
		t.Errorf("something was left: %+v, want len(got) = 0", got)
	}
	s.holds(l, want)
	s.onceEach(l)
	s.healthy(s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0])
}

// Nothing is scanned for a host that cannot be asked for its state (LC-04): a scan must
// start from a confirmed position.
func TestHostIsDownFromTheBeginning(t *testing.T) {
	long(t)
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 7, 100_000)
	l := m.enroll(s.url(), s.invite())
	s.kill()
	r := l.runs(blocked)
	if r.Run != nil || r.problem == nil || r.problem.Hint == "" {
		t.Errorf("%+v\n%s, want Run = nil, problem not nil and problem.Hint not \"\"", r, r.text)
	}
	if n := l.state().Outbox.Counts.Total; n != 0 {
		t.Errorf("%d rows were queued, want 0", n)
	}
	s.begin() // at the address that it had
	l.timePasses()
	l.runs(done)
	s.holds(l, found(t, m.folder))
	s.healthy(s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0])
}
