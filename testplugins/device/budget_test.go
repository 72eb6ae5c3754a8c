package device

import "testing"

// LC-02.1, LC-02.2: a first backfill above the limit of one execution is finished by
// several. Each commits its finished part, and the next continues from there.
func TestBudget(t *testing.T) {
	long(t)
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 11, 5_000_000)
	l := m.enroll(s.url(), s.invite())
	have, runs := 0, 0
	connection := s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0]
	for more := true; more; runs++ {
		if runs == 12 {
			t.Fatalf("%d runs do not finish it: %d records, want not 12", runs, have)
		}
		r := l.runs([]int{0, 5}, "--max-batches", "1")
		got := len(recordsOf(t, s.file(), l.connectionID))
		if r.BudgetReached {
			if v := l.state(); v.Outbox.Counts.BacklogOpen == 0 {
				t.Errorf("the rest is not shown: %+v, want v.Outbox.Counts.BacklogOpen not 0", v)
			}
			// A known rest is no failure, and no full collection.
			if shown := s.status(connection); shown.Verdict.Pill.Tone == "green" || shown.Verdict.Pill.Tone == "red" || shown.Verdict.Channel == "attention" {
				t.Errorf("the owner sees %+v, want shown.Verdict.Pill.Tone not green, shown.Verdict.Pill.Tone not red and shown.Verdict.Channel not attention", shown)
			}
			if got <= have || len(s.cursors(l)) == 0 {
				t.Errorf("run %d made no progress: %d records, want more than %d; checkpoints %v, want some", runs, got, have, s.cursors(l))
			}
		}
		more, have = r.BudgetReached, got
	}
	if runs < 3 {
		t.Errorf("%d runs are no test of a budget, want at least 3", runs)
	}
	s.holds(l, found(t, m.folder))
	s.onceEach(l)
	if v := l.state(); v.LifecycleState != "healthy_idle" || v.Outbox.Counts.BacklogOpen != 0 {
		t.Errorf("%+v, want v.LifecycleState = healthy_idle and v.Outbox.Counts.BacklogOpen = 0", v)
	}
	s.healthy(connection)
}
