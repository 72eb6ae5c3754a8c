package device

import (
	"path/filepath"
	"testing"
)

// LC-07.1: two sources of one connector on one machine. A fault of one is reported for
// that one only, on the device and on the host.
func TestTwoLanes(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	w := newWay(t, s)
	fill(t, m.folder, 9, 80_000)
	other := filepath.Join(m.dir, "other")
	fill(t, other, 10, 80_000)
	one := m.enroll(w.server.URL, s.invite("--name", "one"))
	two := m.enroll(w.server.URL, s.invite("--name", "two"))
	if one.source == two.source || one.connectionID == two.connectionID || one.profile == two.profile {
		t.Fatalf("%+v %+v, want one.source not %v, one.connectionID not %v and one.profile not %v", one, two, two.source, two.connectionID, two.profile)
	}
	// Without a word, no lane is taken for another.
	if got := m.does("", m.b.collector, "run", "--json"); got.status == 0 {
		t.Errorf("a run without a source instance chose one\n%s, want status not 0", got.stdout)
	}
	w.addTrouble(trouble{kind: ingest, source: two.source, times: -1, do: refuse(500, "internal_error", "")})
	one.runs(done)
	r := two.runs(waits, "--root", "claude_code="+other)
	if r.Outcome != "retryable_backlog" {
		t.Errorf("%+v, want Outcome = retryable_backlog", r)
	}
	a, b := one.state(), two.state()
	if a.LifecycleState != "healthy_idle" || a.Outbox.Counts.open() != 0 || a.SourceInstanceID != one.source ||
		b.LifecycleState == "healthy_idle" || b.Outbox.Counts.open() == 0 || b.SourceInstanceID != two.source || a.DB.Path == b.DB.Path {
		t.Errorf("lanes %+v and %+v, want the first healthy and empty, the second with open rows, in separate files", a, b)
	}
	s.holds(one, found(t, m.folder))
	s.holds(two, nil)
	if len(s.cursors(one)) == 0 || len(s.cursors(two)) != 0 {
		t.Errorf("%v %v, want len(s.cursors(one)) not 0 and len(s.cursors(two)) = 0", s.cursors(one), s.cursors(two))
	}
	nameOf := func(l *lane) string { return s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0] }
	s.healthy(nameOf(one))
	if got := s.status(nameOf(two)); got.Verdict.Pill.Tone == "green" {
		t.Errorf("nothing of it has arrived, and it is shown as %+v, want Verdict.Pill.Tone not green", got)
	}
	w.clears()
	two.timePasses()
	two.runs(done, "--root", "claude_code="+other)
	s.holds(two, found(t, other))
	s.healthy(nameOf(two))
	// The lanes stay apart.
	s.holds(one, found(t, m.folder))
}
